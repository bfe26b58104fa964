"""10,000 files of 16 KiB through the library's public API, each verified; the peers check nothing but aria2c."""

import hashlib
import os
import pathlib

from measuring import compare

COUNT = 10_000
BYTES = 16 << 10
AT_ONCE = 16


class Lists:
    """The same files in the words of each contender."""

    def __init__(self, files, origin, directory):
        directory.mkdir()
        self.ours, self.curl, self.aria2, self.wget2 = (directory / name for name in ["ours", "curl", "aria2", "wget2"])
        self.ours.write_text("".join(f"{origin}/many/{name} {digest} {name}\n" for name, digest in files))
        self.curl.write_text("".join(f'url = "{origin}/many/{name}"\noutput = "{name}"\n' for name, _ in files))
        self.aria2.write_text("".join(f"{origin}/many/{name}\n checksum=sha-256={digest}\n" for name, digest in files))
        self.wget2.write_text("".join(f"{origin}/many/{name}\n" for name, _ in files))


def measure(download_many, server, served, scratch, runs):
    (served / "many").mkdir()
    files = []
    for number in range(COUNT):
        content = os.urandom(BYTES)
        name = f"{number:05}.bin"
        (served / "many" / name).write_bytes(content)
        files.append((name, hashlib.sha256(content).hexdigest()))

    protocols = {"HTTP/1.1": server.origin, "HTTP/2 with TLS": server.secure_origin}
    places = {"on a disk": scratch, "on tmpfs": pathlib.Path("/dev/shm") / scratch.name}
    for protocol, origin in protocols.items():
        lists = Lists(files, origin, scratch / protocol.replace("/", "").replace(" ", "-"))
        trust = server.certificate
        for place, directory in places.items():
            compare(
                f"10,000 files of 16 KiB, {protocol}, {place} ({runs} runs each)",
                {
                    "Downloads, verified": f"{download_many} {lists.ours} . {AT_ONCE} {trust}",
                    "curl --parallel": f"curl --silent --fail --parallel --parallel-max {AT_ONCE} --cacert {trust} --config {lists.curl} 2>&1",
                    "wget2": f"wget2 --quiet --max-threads={AT_ONCE} --ca-certificate={trust} --input-file={lists.wget2}",
                    "aria2c, verified": f"aria2c --quiet --file-allocation=none --max-concurrent-downloads={AT_ONCE} --ca-certificate={trust} "
                    f"--input-file={lists.aria2}",
                },
                runs,
                directory / f"many-{protocol.replace('/', '')}",
                # Removing trees makes the next ones slower to make; memory must be given back.
                remove_each=place == "on tmpfs",
            )
