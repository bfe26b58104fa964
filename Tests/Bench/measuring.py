"""What all comparisons of `bench.py` share: a real server, one measured run of a command, and contenders in turn."""

import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time


class Server:
    """nginx on sockets that listen already, serving a directory over HTTP/1.1, and over HTTP/2 with TLS."""

    def __init__(self, root, scratch):
        scratch.mkdir()
        self.certificate = scratch / "certificate.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
            + ["-addext", "subjectAltName=DNS:localhost", "-keyout", scratch / "key.pem", "-out", self.certificate],
            check=True,
            stderr=subprocess.DEVNULL,
        )
        listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        plain, secure = (listener.getsockname()[1] for listener in listeners)
        self.port = plain
        self.origin = f"http://127.0.0.1:{plain}"
        self.secure_origin = f"https://localhost:{secure}"
        places = " ".join(f"{name}_temp_path {scratch}/{name};" for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
        (scratch / "nginx.conf").write_text(
            f"daemon off; {'user root;' if os.geteuid() == 0 else ''} pid {scratch}/pid; error_log {scratch}/error.log;\n"
            "events { worker_connections 256; }\n"
            f"http {{ {places} access_log off; sendfile on; autoindex on; keepalive_requests 1000000; default_type application/octet-stream;\n"
            f'root "{root}"; map $uri $rate {{ ~^/slow/ 4m; default 0; }} limit_rate $rate;\n'
            f'ssl_certificate {self.certificate}; ssl_certificate_key {scratch}/key.pem;\n'
            f"server {{ listen 127.0.0.1:{plain}; }}\n"
            f"server {{ listen 127.0.0.1:{secure} ssl http2; }} }}\n"
        )
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        descriptors = [listener.fileno() for listener in listeners]
        self.process = subprocess.Popen(
            [program, "-p", scratch, "-c", scratch / "nginx.conf", "-e", scratch / "error.log"],
            pass_fds=descriptors,
            env=os.environ | {"NGINX": "".join(f"{descriptor};" for descriptor in descriptors)},
        )
        for listener in listeners:
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


def compare(title, contenders, runs, directory, remove_each, targets={}, times=1, most_seconds=None, check=None, prepare=None):
    """`contenders`: shell commands by name; the first is Larder. One round of each comes first that isn't counted.

    `targets`: the greatest part of a contender's time that Larder should take; `most_seconds`: the longest it should take itself.
    Each command does its work `times` times, and seconds are those of one time. `check`: whether what a contender left in its place is right.
    `prepare` is told of each round before it begins.
    """
    print(f"\n{title}\n", flush=True)
    results = {name: [] for name in contenders}
    for run in range(runs + 1):
        if prepare:
            prepare(run)
        for index, (name, command) in enumerate(contenders.items()):
            place = directory / f"{run}-{index}"
            measurement = Measurement(command, place)
            if check and not check(name, place):
                sys.exit(f"{name}: what it made is wrong")
            if run > 0:
                results[name].append(measurement)
            if remove_each:
                shutil.rmtree(place)

    larder = next(iter(results.values()))
    print(f"  {'':34}{'median':>9}{'fastest':>9}{'slowest':>9}{'CPU':>9}{'memory':>9}   Larder takes")
    for name, measurements in results.items():
        seconds = [m.seconds / times for m in measurements]
        unit, scale = ("ms", 1000) if times > 1 else (" s", 1)
        middle = statistics.median(seconds)
        cpu = statistics.median(m.cpu_seconds for m in measurements) / times
        figures = "".join(f"{value * scale:7.2f}{unit}" for value in [middle, min(seconds), max(seconds), cpu])
        ratio = statistics.median(ours.seconds / theirs.seconds for ours, theirs in zip(larder, measurements))
        if measurements is larder:
            remark = "" if most_seconds is None else f"   target: {most_seconds * scale:g}{unit}, {verdict(middle, most_seconds)}"
        else:
            remark = f"   {ratio:.2f} of its time"
            if name in targets:
                remark += f"; target: {targets[name]:.2g}, {verdict(ratio, targets[name])}"
        peak = max(m.peak_bytes for m in measurements) / 2**20
        print(f"  {name:34}{figures}{peak:6.0f} MB{remark}", flush=True)


def verdict(figure, target):
    return "met" if figure <= target else "missed"
