#!/usr/bin/env python3
"""Measures Larder beside the tools that people would use instead.

    Tests/Bench/bench.py .build/release/larder [RUNS]

Every contender fetches the same bytes from the same nginx on loopback, checks their SHA-256, and ends with the same files. They take turns
(A B C, A B C, ...), each in a fresh directory, so that whatever else the machine does meets them all alike. What is written goes to a
disk, under TMPDIR or else /var/tmp; it is flushed between the runs, and trees are removed only when all is measured.
"""

import hashlib
import os
import pathlib
import shlex
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from long_link import compare_over_long_link

GAME = pathlib.Path("/usr/share/games/openarena/baseoa/pak6-patch088.pk3")
LARGE_BYTES = 1 << 30


class Server:
    """nginx on a socket that listens already, serving a directory."""

    def __init__(self, root, scratch):
        listener = socket.create_server(("127.0.0.1", 0))
        self.origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
        scratch.mkdir()
        places = " ".join(f"{name}_temp_path {scratch}/{name};" for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
        (scratch / "nginx.conf").write_text(
            f"daemon off; {'user root;' if os.geteuid() == 0 else ''} pid {scratch}/pid; error_log {scratch}/error.log;\n"
            "events { worker_connections 64; }\n"
            f"http {{ {places} access_log off; sendfile on; default_type application/octet-stream;\n"
            f'server {{ listen {self.origin[7:]}; root "{root}"; }} }}\n'
        )
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        self.process = subprocess.Popen(
            [program, "-p", scratch, "-c", scratch / "nginx.conf", "-e", scratch / "error.log"],
            pass_fds=[listener.fileno()],
            env=os.environ | {"NGINX": f"{listener.fileno()};"},
        )
        listener.close()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


class Measurement:
    """How long a shell command took, and what it and its children needed."""

    def __init__(self, command, directory):
        directory.mkdir(parents=True)
        usage = directory.with_suffix(".usage")
        # By a program as small as time: memory that a child had while it still was a copy of this process would count as its own.
        measured = ["time", "--quiet", "--format=%U %S %M", f"--output={usage}", "sh", "-ec", command]
        os.sync()
        start = time.monotonic()
        status = subprocess.run(measured, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL).returncode
        self.seconds = time.monotonic() - start
        if status != 0:
            sys.exit(f"{command}: exit status {status}")
        user, system, peak = usage.read_text().split()
        self.cpu_seconds = float(user) + float(system)
        self.peak_bytes = int(peak) << 10


def compare(title, contenders, runs, directory, remove_each):
    """`contenders`: shell commands by name; the first is Larder. One round of each comes first that isn't counted."""
    print(f"\n{title}\n", flush=True)
    results = {name: [] for name in contenders}
    for run in range(runs + 1):
        for index, (name, command) in enumerate(contenders.items()):
            place = directory / f"{run}-{index}"
            measurement = Measurement(command, place)
            if run > 0:
                results[name].append(measurement)
            if remove_each:
                shutil.rmtree(place)

    larder = next(iter(results.values()))
    print(f"  {'':34}{'median':>9}{'fastest':>9}{'slowest':>9}{'CPU':>9}{'memory':>9}   Larder takes")
    for name, measurements in results.items():
        seconds = [m.seconds for m in measurements]
        ratio = statistics.median(ours.seconds / theirs.seconds for ours, theirs in zip(larder, measurements))
        print(
            f"  {name:34}{statistics.median(seconds):7.2f} s{min(seconds):7.2f} s{max(seconds):7.2f} s"
            f"{statistics.median(m.cpu_seconds for m in measurements):7.2f} s"
            f"{max(m.peak_bytes for m in measurements) / 2**20:6.0f} MB"
            + ("" if measurements is larder else f"   {ratio:.2f} of its time"),
            flush=True,
        )


def write_large_file(path):
    """Random bytes, and returns their digest."""
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for _ in range(LARGE_BYTES >> 20):
            block = os.urandom(1 << 20)
            digest.update(block)
            file.write(block)
    return digest.hexdigest()


def main():
    larder = shlex.quote(str(pathlib.Path(sys.argv[1]).resolve()))
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="larder-bench-", dir=os.environ.get("TMPDIR", "/var/tmp")))
    served = scratch / "served"
    served.mkdir()
    server = None
    try:
        large = write_large_file(served / "large.bin")
        game = hashlib.sha256(GAME.read_bytes()).hexdigest()
        (served / "game.pk3").symlink_to(GAME)
        bundle = '{"id": "game", "kind": "textures", "urls": ["game.pk3"], "size": %d, "sha256": "%s"}' % (GAME.stat().st_size, game)
        (served / "game.json").write_text('{"format": "larder/1", "id": "bench", "serial": 1, "bundles": [%s]}' % bundle)
        server = Server(served, scratch / "nginx")
        check_large = f"echo '{large}  large.bin' | sha256sum --check --quiet"
        check_game = f"echo '{game}  game.pk3' | sha256sum --check --quiet"
        url = server.origin
        compare(
            f"One file of 1 GiB, fetched and verified ({runs} runs each)",
            {
                "larder fetch --sha256": f"{larder} fetch {url}/large.bin --output large.bin --sha256 {large} --quiet",
                "curl, sha256sum": f"curl --silent --fail --output large.bin {url}/large.bin; {check_large}",
                "wget2, sha256sum": f"wget2 --quiet --output-document=large.bin {url}/large.bin; {check_large}",
                "curl, sha256sum, sync": f"curl --silent --fail --output large.bin {url}/large.bin; {check_large}; sync large.bin",
            },
            runs,
            scratch / "large",
            remove_each=True,
        )
        compare(
            f"OpenArena's textures, fetched, verified and unpacked: 73 MB, 208 MB unpacked ({runs} runs each)",
            {
                "larder sync": f"{larder} sync {url}/game.json --library library --quiet",
                "aria2c, sha256sum, unzip": f"aria2c --quiet --out=game.pk3 {url}/game.pk3; {check_game}; unzip -q game.pk3 -d game",
                "aria2c, sha256sum, unzip, sync": f"aria2c --quiet --out=game.pk3 {url}/game.pk3; {check_game}; "
                "unzip -q game.pk3 -d game; find game -type f -exec sync {} +",
            },
            runs,
            scratch / "game",
            remove_each=False,
        )
        compare_over_long_link(compare, larder, url, served, runs, scratch)
        print("\nLarder flushes what it publishes to the disk; of the others only those with sync do.")
    finally:
        if server:
            server.stop()
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
