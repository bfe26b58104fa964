"""A library of 10,000 files that is kept fresh: nothing changed, and ten files changed. The peers check no digests, and publish nothing in one step."""

import hashlib
import json
import os
import subprocess
import sys

from measuring import compare

COUNT = 10_000
CHANGED = 10
BYTES = 4 << 10
AT_ONCE = 16
# What part of their time Larder should take at most where nothing changed, and how long itself.
TARGETS = {"wget2 -N": 0.05, "rclone sync, http": 0.05, "aria2c --conditional-get": 0.05}
MOST_SECONDS = 0.1


class Origin:
    """Files beneath what is served, and their manifest."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "files").mkdir(parents=True)
        self.digests = {}
        self.serial = 0
        for number in range(COUNT):
            self.write(number)
        self.publish()

    def write(self, number):
        name = f"{number:05}.bin"
        content = os.urandom(BYTES)
        path = self.folder / "files" / name
        path.write_bytes(content)
        # Peers go by whole seconds.
        moment = 1_700_000_000 + 100 * self.serial
        os.utime(path, (moment, moment))
        self.digests[name] = hashlib.sha256(content).hexdigest()

    def publish(self):
        self.serial += 1
        files = [
            {"path": f"{name[:2]}/{name}", "urls": [f"files/{name}"], "size": BYTES, "sha256": digest}
            for name, digest in sorted(self.digests.items())
        ]
        manifest = {"format": "larder/1", "id": "stock", "serial": self.serial}
        manifest["bundles"] = [{"id": "files", "kind": "files", "files": files}]
        path = self.folder / "stock.json"
        path.write_text(json.dumps(manifest))
        moment = 1_700_000_000 + 100 * self.serial
        os.utime(path, (moment, moment))

    def change(self, run):
        for number in range(CHANGED):
            self.write((run * CHANGED + number) * 997 % COUNT)
        self.publish()


def measure(larder, server, served, scratch, runs):
    origin = Origin(served / "refresh")
    url = f"{server.origin}/refresh"
    places = scratch / "refresh"
    places.mkdir()
    names = sorted(origin.digests)
    (places / "wget2.txt").write_text("".join(f"{url}/files/{name}\n" for name in names))
    (places / "aria2.txt").write_text("".join(f"{url}/files/{name}\n" for name in names))
    for tool in ["wget2", "aria2", "rclone"]:
        (places / tool).mkdir()
    contenders = {
        "larder refresh": f"{larder} refresh {url}/stock.json --library {places}/library --min-free 0",
        "wget2 -N": f"cd {places}/wget2 && wget2 --quiet -N --max-threads={AT_ONCE} --input-file=../wget2.txt",
        "aria2c --conditional-get": f"aria2c --quiet --dir={places}/aria2 --conditional-get=true --allow-overwrite=true "
        f"--file-allocation=none --max-concurrent-downloads={AT_ONCE} --input-file={places}/aria2.txt",
        "rclone sync, http": f"rclone sync --quiet --config /dev/null --checkers {AT_ONCE} --transfers {AT_ONCE} "
        f":http: {places}/rclone --http-url {url}/files/",
    }
    # What is kept fresh has to be there first.
    for command in contenders.values():
        subprocess.run(command, shell=True, check=True, stdout=subprocess.DEVNULL)
    compare(
        f"10,000 files of 4 KiB, nothing changed ({runs} runs each)", contenders, runs, scratch / "refresh-unchanged",
        remove_each=False, targets=TARGETS, most_seconds=MOST_SECONDS,
    )
    compare(
        f"10,000 files of 4 KiB, {CHANGED} changed ({runs} runs each)", contenders, runs, scratch / "refresh-changed",
        remove_each=False, prepare=origin.change,
    )
    for name, digest in origin.digests.items():
        fresh = places / "library/current/stock/files" / name[:2] / name
        if hashlib.sha256(fresh.read_bytes()).hexdigest() != digest:
            sys.exit(f"{fresh} is not what is served")
