"""One file of 1 GiB: with its digest taken on the way, and without."""

import hashlib
import os
import subprocess

from measuring import compare

BYTES = 1 << 30


def write_random_file(path):
    """Returns the digest of what was written."""
    digest = hashlib.sha256()
    with path.open("wb") as file:
        for _ in range(BYTES >> 20):
            block = os.urandom(1 << 20)
            digest.update(block)
            file.write(block)
    return digest.hexdigest()


def measure(larder, download_many, server, served, scratch, runs):
    digest = write_random_file(served / "large.bin")
    url = f"{server.origin}/large.bin"
    receive = scratch / "receive"
    subprocess.run(["cc", "-O2", "-o", receive, os.path.join(os.path.dirname(__file__), "receive.c")], check=True)
    (scratch / "large.list").write_text(f"{url} - large.bin\n")
    (scratch / "large-verified.list").write_text(f"{url} {digest} large.bin\n")

    fetches = {
        "curl": f"curl --silent --fail --output large.bin {url}",
        "wget2": f"wget2 --quiet --output-document=large.bin {url}",
        "aria2c": f"aria2c --quiet --out=large.bin {url}",
    }
    check = f"test $(openssl dgst -sha256 -r large.bin | cut -c1-64) = {digest}"
    floor = {
        "floor: receive and write": f"{receive} {server.port} /large.bin large.bin",
        "floor: openssl dgst": f"openssl dgst -sha256 {served}/large.bin",
    }
    compare(
        f"One file of 1 GiB, fetched and verified ({runs} runs each)",
        {
            # Nobody flushes but `larder fetch`.
            "Downloads, verified": f"{download_many} {scratch}/large-verified.list . 1",
            "larder fetch --sha256, flushed": f"{larder} fetch {url} --output large.bin --sha256 {digest} --quiet",
        }
        | {f"{name}, openssl dgst": f"{command}; {check}" for name, command in fetches.items()}
        | fetches
        | floor,
        runs,
        scratch / "large",
        remove_each=True,
    )
    compare(
        f"One file of 1 GiB, fetched, no digest taken ({runs} runs each)",
        {"Downloads, no digest": f"{download_many} {scratch}/large.list . 1"} | fetches | floor,
        runs,
        scratch / "large-unverified",
        remove_each=True,
    )
