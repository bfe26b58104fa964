"""One large file over a long link: each direction takes 50 ms, and each connection is held to 4 MB/s."""

import os
import pathlib
import signal
import socket
import subprocess

from measuring import compare

DELAY_MILLISECONDS = 50
BYTES_PER_SECOND = 4_000_000
CONNECTIONS = 8
FILE_BYTES = 288 << 20


class Link:
    """A proxy in front of a server on loopback, compiled when it is needed; holds each connection to a rate, or all of them together."""

    def __init__(self, server_origin, scratch, delay_milliseconds, bytes_per_second, is_shared=False):
        program = scratch / "long_link"
        source = pathlib.Path(__file__).with_name("long_link.c")
        subprocess.run(["gcc", "-O2", "-o", program, source], check=True)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.origin = f"http://127.0.0.1:{port}"
        arguments = [port, server_origin.rsplit(":", 1)[1], delay_milliseconds, bytes_per_second, "all" if is_shared else "each"]
        # A group of its own, so that what carries the connections ends with it.
        self.process = subprocess.Popen([program, *map(str, arguments)], stdout=subprocess.PIPE, start_new_session=True)
        self.process.stdout.readline()

    def stop(self):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()


def measure(larder, server, served, scratch, runs):
    with (served / "long.bin").open("wb") as file:
        for _ in range(FILE_BYTES >> 20):
            file.write(os.urandom(1 << 20))
    link = Link(server.origin, scratch, DELAY_MILLISECONDS, BYTES_PER_SECOND)
    url = f"{link.origin}/long.bin"
    try:
        compare(
            f"One file of {FILE_BYTES >> 20} MiB over a long link: 50 ms each way, 4 MB/s a connection ({runs} runs each)",
            {
                "larder fetch": f"{larder} fetch {url} --output long.bin --quiet",
                "aria2c -x8 -s8": f"aria2c -x8 -s8 --quiet --file-allocation=none --out=long.bin {url}",
            },
            runs,
            scratch / "long",
            remove_each=True,
        )
    finally:
        link.stop()
    floor = FILE_BYTES / (CONNECTIONS * BYTES_PER_SECOND)
    print(f"  What {CONNECTIONS} connections could carry from the first moment on: {floor:.2f} s.", flush=True)
