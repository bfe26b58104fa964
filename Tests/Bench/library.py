"""Libraries of 1,000 to 1,000,000 files: what `status`, `refresh`, `verify` and `clean` take of time and memory where there is nothing to do, and what it
takes to remove a generation. Nothing else holds such libraries: what counts is that the figures grow with the files, and no faster.
"""

import hashlib
import itertools
import json
import os
import statistics
import sys

from measuring import Measurement, verdict

# MOST_FILES=100000 in the environment leaves out what takes minutes.
SIZES = [size for size in (10**3, 10**4, 10**5, 10**6) if size <= int(os.environ.get("MOST_FILES", 10**6))]
# From so many files on each command is run once: what is asked then is how much it takes, not how much to the tenth.
MEASURED_ONCE = 10**6
# How many bundles hold so many files: a few with very many each, and very many with a few each.
SHAPES = {"ten bundles": lambda files: 10, "ten files a bundle": lambda files: files // 10}
# One of so many bundles has an older version, in the generation before.
OUTDATED = 10
MOST_BYTES = 1 << 30
# Of `status`, with so many files.
STATUS_SIZE, MOST_SECONDS = 100_000, 0.1
# More than ten times the work for ten times as much is more than linear; what every start takes makes it less. Of the processor's time: how long a disk
# takes says nothing of that.
MOST_GROWTH = 15
# What `time` counts the processor's time in: less than this is shown as none at all.
TICK_SECONDS = 0.01
# File systems let a file have only so many names.
LINKS = 50_000
MANIFEST = "stock"


class Library:
    """A library as Larder writes it, of files that are all empty and share their inodes."""

    def __init__(self, path, files, bundles):
        self.path = path
        for name in ["partial", "staging", "quarantine"]:
            (path / ".larder" / name).mkdir(parents=True)
        (path / ".larder/lock").touch()
        self.links = self.inodes()
        self.files = [f"{number // 1000:04}/{number:07}.bin" for number in range(files // bundles)]
        for generation in ["000001", "000002"]:
            (path / "generations" / generation / MANIFEST).mkdir(parents=True)
        self.manifests = {1: [], 2: []}
        for number in range(bundles):
            self.add(f"bundle-{number:06}", is_outdated=number % OUTDATED == 0)
        for serial, listed in self.manifests.items():
            text = json.dumps({"format": "larder/1", "id": MANIFEST, "serial": serial, "bundles": listed})
            (path / "generations" / f"{serial:06}" / MANIFEST / ".manifest.json").write_text(text)
        os.symlink("generations/000002", path / "current")

    def inodes(self):
        """Empty files, each as often as it can be linked to."""
        for number in itertools.count():
            seed = self.path / f".larder/staging/.seed-{number}"
            seed.touch()
            yield from itertools.repeat(seed, LINKS)

    def add(self, bundle, is_outdated):
        new = self.content(bundle, "2")
        old = self.content(bundle, "1") if is_outdated else new
        for generation, (entry, name) in {1: old, 2: new}.items():
            self.manifests[generation].append(entry)
            link = self.path / "generations" / f"{generation:06}" / MANIFEST / bundle
            os.symlink(f"../../../store/{MANIFEST}/{bundle}/{name}", link)

    def content(self, bundle, version):
        """What a manifest says of the content, and what the content is called."""
        source = hashlib.sha256(f"{bundle} {version}".encode()).hexdigest()
        key = hashlib.sha256(netstrings(
            "larder-content/1", "kind", "archive", "extractor", "2", "source", "", "sha256", source,
            "option", "unpack.format", "auto")).hexdigest()
        url = f"http://127.0.0.1:1/{bundle}.zip"
        name = f"{version}@{key[:16]}"
        place = self.path / "store" / MANIFEST / bundle
        (place / name).mkdir(parents=True)
        for folder in dict.fromkeys(path[:4] for path in self.files):
            (place / name / folder).mkdir()
        for path in self.files:
            os.link(next(self.links), place / name / path)
        empty = hashlib.sha256(b"").hexdigest()
        lines = [
            {"receipt": 1, "manifest": MANIFEST, "bundle": bundle, "version": version, "kind": "archive", "key": key,
             "created": "2026-01-01T00:00:00Z", "sources": 1, "entries": len(self.files), "contentBytes": 0},
            {"url": url, "sizeBytes": 1, "sha256": source, "validator": None},
        ] + [{"path": path, "sizeBytes": 0, "mode": "644", "modified": [0, 0], "sha256": empty} for path in self.files]
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        end = json.dumps({"sha256": hashlib.sha256(text.encode()).hexdigest()})
        (place / f"{name}.receipt").write_text(text + end + "\n")
        entry = {"id": bundle, "kind": "archive", "version": version, "urls": [url], "size": 1, "sha256": source}
        return entry, name


def netstrings(*values):
    return "".join(f"{len(value.encode())}:{value}," for value in values).encode()


def measure(larder, server, served, scratch, runs):
    for name, bundles in SHAPES.items():
        print(f"\nA library, {name} ({runs} runs: median of all and of the processor's time; peak memory)\n", flush=True)
        curves = {}
        for size in SIZES:
            place = scratch / f"library-{bundles(size)}-{size}"
            library = Library(place / "library", size, bundles(size))
            manifest = served / "library.json"
            manifest.write_text(json.dumps(
                {"format": "larder/1", "id": MANIFEST, "serial": 2, "bundles": library.manifests[2]}))
            print(f"  {size:,} files ...", file=sys.stderr, flush=True)
            for command, results in measured(
                larder, server, library.path, place, 1 if size >= MEASURED_ONCE else runs).items():
                curves.setdefault(command, {})[size] = results
        show(curves)


def measured(larder, server, library, place, runs):
    """Measurements by command."""
    numbers = itertools.count()

    def run(command, times=runs):
        return [Measurement(f"{command} --library {library}", place / f"run-{next(numbers)}") for _ in range(times)]

    refresh = f"{larder} refresh {server.origin}/library.json --min-free 0 --keep-age 36500d"
    results = {"refresh that looks at everything": run(refresh, times=1)}
    results["refresh with nothing to do"] = run(refresh)
    results["status"] = run(f"{larder} status")
    results["status --json"] = run(f"{larder} status --json")
    results["verify, all of it"] = run(f"{larder} verify", times=1)
    results["clean with nothing to remove"] = run(f"{larder} clean")
    results["clean --keep 1, a tenth is old"] = run(f"{larder} clean --keep 1 --keep-age 0s", times=1)
    left = [name for name in os.listdir(library / "generations") if not name.startswith(".")]
    if left != ["000002"]:
        sys.exit(f"{library}: the old generation is still there: {left}")
    return results


def show(curves):
    print(f"  {'':34}" + "".join(f"{size:>30,}" for size in SIZES))
    verdicts = []
    for command, curve in curves.items():
        seconds = {size: statistics.median(m.seconds for m in runs) for size, runs in curve.items()}
        processor = {size: statistics.median(m.cpu_seconds for m in runs) for size, runs in curve.items()}
        peaks = {size: max(m.peak_bytes for m in runs) for size, runs in curve.items()}
        cells = [
            f"{seconds[size] * 1000:10.0f} ms {processor[size] * 1000:6.0f} ms {peaks[size] >> 20:4} MB" for size in SIZES
        ]
        print(f"  {command:34}" + "".join(cells), flush=True)
        peak = max(peaks.values())
        verdicts.append(f"{command}: at most {peak >> 20} MB, {verdict(peak, MOST_BYTES)}")
        for fewer, more in zip(SIZES[-2:-1], SIZES[-1:]):
            growth = max(processor[more], TICK_SECONDS) / max(processor[fewer], TICK_SECONDS)
            verdicts[-1] += f"; {growth:.1f} times the processor's time for ten times as much, {verdict(growth, MOST_GROWTH)}"
        if command.startswith("status") and STATUS_SIZE in SIZES:
            taken = seconds[STATUS_SIZE]
            verdicts[-1] += f"; {taken * 1000:.0f} ms for {STATUS_SIZE:,} files, {verdict(taken, MOST_SECONDS)}"
    print("\n  " + "\n  ".join(verdicts))
