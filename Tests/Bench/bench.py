#!/usr/bin/env python3
"""Measures Larder beside the tools that people would use instead.

    Tests/Bench/bench.py PROGRAMS [RUNS [COMPARISON ...]]

PROGRAMS is where `larder`, `DownloadMany`, `ReadManifest` and `ReadPlaylist` were built. Every contender fetches the same bytes from the same nginx on loopback, and ends with
the same files. They take turns (A B C, A B C, ...), each in a fresh directory, so that whatever else the machine does meets them all
alike. What is written goes to a disk, under TMPDIR or else /var/tmp; it is flushed between the runs, and trees are removed only when all is
measured.
"""

import os
import pathlib
import shlex
import shutil
import sys
import tempfile

import arriving
import create
import game
import large_file
import library
import lists
import long_link
import many_files
import memory
import refresh
import segments
import unpack
import validate
from measuring import Server


def main():
    programs = pathlib.Path(sys.argv[1]).resolve()
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    names = ["larder", "DownloadMany", "ReadManifest", "ReadPlaylist"]
    larder, download_many, read_manifest, read_playlist = (shlex.quote(str(programs / name)) for name in names)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="larder-bench-", dir=os.environ.get("TMPDIR", "/var/tmp")))
    served = scratch / "served"
    served.mkdir()
    server = None
    try:
        server = Server(served, scratch / "nginx")
        comparisons = {
            "large-file": lambda: large_file.measure(larder, download_many, server, served, scratch, runs),
            "many-files": lambda: many_files.measure(download_many, server, served, scratch, runs),
            "long-link": lambda: long_link.measure(larder, server, served, scratch, runs),
            "memory": lambda: memory.measure(download_many, server, served, scratch, runs),
            "game": lambda: game.measure(larder, server, served, scratch, runs),
            "refresh": lambda: refresh.measure(larder, server, served, scratch, runs),
            "library": lambda: library.measure(larder, server, served, scratch, runs),
            "segments": lambda: segments.measure(larder, read_playlist, server, served, scratch, runs),
            "arriving": lambda: arriving.measure(larder, server, served, scratch, runs),
            "unpack": lambda: unpack.measure(larder, scratch, runs),
            "create": lambda: create.measure(larder, scratch, runs),
            "lists": lambda: lists.measure(larder, scratch, runs),
            "validate": lambda: validate.measure(larder, read_manifest, scratch, runs),
        }
        for name in sys.argv[3:] or comparisons:
            comparisons[name]()
        print("\nLarder flushes what the commands publish to the disk; of the others only those with sync do.")
    finally:
        if server:
            server.stop()
        shutil.rmtree(scratch)
        shutil.rmtree(pathlib.Path("/dev/shm") / scratch.name, ignore_errors=True)


if __name__ == "__main__":
    main()
