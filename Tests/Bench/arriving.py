"""Archives from a server, fetched, verified and unpacked: over loopback, and over a link of 200 Mbit/s, where unpacking should cost nothing."""

import hashlib
import json
import os
import resource
import signal
import subprocess
import threading
import time
import zipfile

from game import GAME
from long_link import Link
from measuring import compare
from unpack import MANY_BYTES, RATIO, Material, compiled_inflate, megabytes, names, sizes, write_list, write_tar_gz, write_zip

LINK_BYTES_PER_SECOND = 25_000_000
# What the threads of `larder` do, by the beginning of their names.
STAGES = {
    "transfer": ["larder-session"],
    "write, hash": ["larder-writer", "larder-digest", "larder-finish"],
    "inflate, hash, write": ["larder-unpack", "unzip", "read ahead"],
}


class Served:
    """An archive that a server has, with a manifest beside it."""

    def __init__(self, archive, served, format="zip"):
        self.name = archive.name
        self.path = archive
        (served / self.name).symlink_to(archive)
        with archive.open("rb") as file:
            self.digest = hashlib.file_digest(file, "sha256").hexdigest()
        self.size = archive.stat().st_size
        bundle = {"id": "bundle", "kind": "archive", "urls": [self.name], "size": self.size, "sha256": self.digest}
        bundle["unpack"] = {"format": format}
        manifest = {"format": "larder/1", "id": "bench", "serial": 1, "bundles": [bundle]}
        (served / f"{self.name}.json").write_text(json.dumps(manifest))

    def contenders(self, larder, origin):
        check = f"echo '{self.digest}  a.zip' | sha256sum --check --quiet"
        url = f"{origin}/{self.name}"
        return {
            "larder sync": f"{larder} sync {url}.json --library library --min-free 0 --quiet",
            "aria2c, sha256sum, unzip": f"aria2c --quiet --out=a.zip {url}; {check}; unzip -q a.zip -d out",
            "curl | bsdtar, nothing checked": f"mkdir out; curl -s {url} | bsdtar -xf - -C out",
        }


def allocated_bytes(place):
    """What the files beneath a place take of the disk, each counted once whatever names it has."""
    found = {}
    for folder, _, files in os.walk(place):
        for name in files:
            try:
                status = os.lstat(os.path.join(folder, name))
            except FileNotFoundError:
                continue
            found[status.st_ino] = status.st_blocks * 512
    return sum(found.values())


def peak_disk(command, place):
    """The most that a command's directory takes, looked at twenty times a second."""
    place.mkdir(parents=True)
    process = subprocess.Popen(["sh", "-ec", command], cwd=place, stdout=subprocess.DEVNULL)
    ended = threading.Event()
    threading.Thread(target=lambda: (process.wait(), ended.set())).start()
    peak = 0
    while not ended.wait(0.05):
        peak = max(peak, allocated_bytes(place))
    return max(peak, allocated_bytes(place))


def processor_seconds(pid):
    """What each stage's threads have taken so far."""
    taken = dict.fromkeys(STAGES, 0.0)
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/stat") as file:
                name, rest = file.read().split("(", 1)[1].rsplit(")", 1)
        except (FileNotFoundError, ProcessLookupError):
            continue
        for stage, beginnings in STAGES.items():
            if name.startswith(tuple(beginnings)):
                fields = rest.split()
                taken[stage] += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return taken


def timeline(command, place, size, step):
    """One run, looked at again and again: what has come, what is unpacked, and who works."""
    place.mkdir(parents=True)
    process = subprocess.Popen(command.split(), cwd=place, stdout=subprocess.DEVNULL)
    print("  " + f"{'seconds':>8}{'fetched':>10}{'unpacked':>10}" + "".join(f"{stage:>22}" for stage in STAGES))
    start, before = time.monotonic(), dict.fromkeys(STAGES, 0.0)
    while process.poll() is None:
        time.sleep(step)
        try:
            now = processor_seconds(process.pid)
        except FileNotFoundError:
            break
        partial = allocated_bytes(place / "library/.larder/partial")
        unpacked = allocated_bytes(place / "library/.larder/staging") + allocated_bytes(place / "library/store")
        shares = "".join(f"{max(0, now[stage] - before[stage]) / step:20.0%}  " for stage in STAGES)
        print(f"  {time.monotonic() - start:8.1f}{partial / 1e6:7.0f} MB{unpacked / 1e6:7.0f} MB{shares}", flush=True)
        before = now
    print(f"  {time.monotonic() - start:8.1f}  published; the archive has {size / 1e6:.0f} MB", flush=True)


def processor_time(command, place, until=lambda: False):
    """What a command takes of the processor, to its end or until it is killed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command.split(), cwd=place, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        if until():
            process.send_signal(signal.SIGKILL)
        time.sleep(0.02)
    process.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def after_a_kill(archive, command, place):
    """A run that is killed when nine tenths have come, and the one that goes on."""
    place.mkdir(parents=True)
    partial = place / "library/.larder/partial"
    killed = processor_time(command, place, lambda: allocated_bytes(partial) >= archive.size * 9 // 10)
    next_run = processor_time(command, place)
    print(f"  {archive.name:34}{killed:6.2f} s, then{next_run:6.2f} s", flush=True)


def measure(larder, server, served, scratch, runs):
    directory = scratch / "arriving"
    directory.mkdir()
    inflate = compiled_inflate(directory)
    material = Material()
    many = directory / "many.zip"
    chosen = sizes(int(MANY_BYTES / RATIO), material.random)
    streams = write_zip(many, [(name, lambda size=size: material.take(size)) for name, size in zip(names(), chosen)])
    archive = Served(many, served)
    floor = {"floor: zlib inflates, one core": f"{inflate} {many} <{write_list(many, streams)}"}

    def is_right(expected_bytes):
        def check(name, place):
            if name.startswith(("floor", "curl alone")):
                return True
            out = place / ("library/store" if name.startswith("larder") else "out")
            files = [path for path in out.rglob("*") if path.is_file() and path.suffix != ".receipt"]
            return sum(path.stat().st_size for path in files) == expected_bytes

        return check

    compare(
        f"A zip of {megabytes(many)}, 3,000 files, over loopback: fetched, verified, unpacked ({runs} runs each)",
        archive.contenders(larder, server.origin) | floor,
        runs,
        directory / "loopback",
        targets={"aria2c, sha256sum, unzip": 0.3, "curl | bsdtar, nothing checked": 0.6},
        remove_each=False,
        check=is_right(sum(chosen)),
    )
    game = Served(GAME, served)
    with zipfile.ZipFile(GAME) as archive_of_game:
        game_bytes = sum(entry.file_size for entry in archive_of_game.infolist())
    compare(
        f"OpenArena's bundle, {megabytes(GAME)}, over loopback: fetched, verified, unpacked ({runs} runs each)",
        game.contenders(larder, server.origin),
        runs,
        directory / "game",
        targets={"aria2c, sha256sum, unzip": 0.3, "curl | bsdtar, nothing checked": 0.6},
        remove_each=False,
        check=is_right(game_bytes),
    )
    print("\nThe most that each has on the disk at once, the archive among it\n")
    for index, (name, command) in enumerate(archive.contenders(larder, server.origin).items()):
        print(f"  {name:34}{peak_disk(command, directory / f'peak-{index}') / 1e6:6.0f} MB", flush=True)

    link = Link(server.origin, directory, 0, LINK_BYTES_PER_SECOND, is_shared=True)
    try:
        contenders = archive.contenders(larder, link.origin)
        bare = {"curl alone": f"curl -s -o a.zip {link.origin}/{archive.name}"}
        compare(
            f"The zip of {megabytes(many)} over a link of 200 Mbit/s ({runs} runs each)",
            contenders | bare,
            runs,
            directory / "link",
            targets={"curl alone": 1.05},
            remove_each=False,
            check=is_right(sum(chosen)),
        )
        tar = directory / "many.tar.gz"
        contents = [(name, size, lambda size=size: material.take(size)) for name, size in zip(names(), chosen)]
        write_tar_gz(tar, contents)
        print("\nProcessor time of a run over that link, killed when 90 % have come, and of the one that goes on\n")
        for killed in [archive, Served(tar, served, "tar.gz")]:
            command = killed.contenders(larder, link.origin)["larder sync"]
            after_a_kill(killed, command, directory / f"killed-{killed.name}")
        print("\nOne run over that link; of each stage, how much of a core it has\n")
        timeline(contenders["larder sync"], directory / "timeline", archive.size, 1)
    finally:
        link.stop()
    print("\nOne run over loopback\n")
    timeline(archive.contenders(larder, server.origin)["larder sync"], directory / "timeline-loopback", archive.size, 0.1)
