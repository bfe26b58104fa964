"""Archives from a disk: a zip of many files, a zip of one large file, a tar.gz; beside the unpackers that people have."""

import gzip
import io
import os
import random
import shutil
import struct
import subprocess
import tarfile
import zipfile

from measuring import compare

FILES = 3_000
MANY_BYTES = 300 << 20
LARGE_BYTES = 1 << 30
TAR_BYTES = 600 << 20
# What deflate makes of the material.
RATIO = 0.435


class Material:
    """Bytes that deflate to about half, as the contents of bundles do: words, and between them what can't be packed."""

    def __init__(self):
        self.random = random.Random(1)
        words = [self.random.randbytes(self.random.randint(3, 9)) for _ in range(500)]
        pool = bytearray()
        while len(pool) < 16 << 20:
            pool += self.random.randbytes(self.random.randint(10, 90))
            pool += b" ".join(self.random.choices(words, k=40))
        self.pool = bytes(pool)

    def take(self, count):
        pieces = []
        while count > 0:
            start = self.random.randrange(len(self.pool) - 1)
            pieces.append(self.pool[start : start + min(count, 1 << 20)])
            count -= len(pieces[-1])
        return b"".join(pieces)


def names():
    return [f"folder-{number // 100:02}/file-{number:04}.bin" for number in range(FILES)]


def sizes(total_bytes, chance):
    """Of very different sizes, as real files are; together as many bytes as asked for."""
    weights = [chance.lognormvariate(0, 1) for _ in range(FILES)]
    return [max(1, int(total_bytes * weight / sum(weights))) for weight in weights]


def write_zip(path, contents):
    """Returns where the deflate streams are."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in contents:
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), content(), zipfile.ZIP_DEFLATED)
        entries = archive.infolist()
    streams = []
    with path.open("rb") as file:
        for entry in entries:
            file.seek(entry.header_offset + 26)
            name_bytes, extra_bytes = struct.unpack("<HH", file.read(4))
            streams.append((entry.header_offset + 30 + name_bytes + extra_bytes, entry.compress_size))
    return streams


def write_tar_gz(path, contents):
    """Returns where its deflate stream is."""
    with path.open("wb") as file:
        with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as archive:
            for name, size, content in contents:
                entry = tarfile.TarInfo(name)
                entry.size = size
                archive.addfile(entry, io.BytesIO(content()))
    # A header without optional fields, and a trailer of eight bytes.
    return [(10, path.stat().st_size - 18)]


def megabytes(path):
    return f"{path.stat().st_size / 1e6:.0f} MB"


def unpacked_bytes(place):
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, files in os.walk(place) for name in files)


def compiled_inflate(directory):
    program = directory / "inflate"
    subprocess.run(["cc", "-O2", "-o", program, os.path.join(os.path.dirname(__file__), "inflate.c"), "-lz"], check=True)
    return program


def write_list(archive, streams):
    """For `inflate.c`."""
    path = archive.with_suffix(".streams")
    path.write_text("".join(f"{offset} {length}\n" for offset, length in streams))
    return path


def measure(larder, scratch, runs):
    directory = scratch / "unpack"
    directory.mkdir()
    material = Material()
    inflate = compiled_inflate(directory)

    def compare_unpackers(what, archive, total_bytes, streams, target, seven_zip="7z x -y -oout {} >7z.log"):
        stream_list = write_list(archive, streams)
        peers = {} if archive.name.endswith(".gz") else {"unzip": f"unzip -q {archive} -d out"}
        peers |= {"bsdtar": f"mkdir out; bsdtar -xf {archive} -C out", "7z x": seven_zip.format(archive)}
        with_floor = {"floor: zlib inflates, one core": f"mkdir out; {inflate} {archive} <{stream_list}"}
        compare(
            f"{what} ({runs} runs each)",
            {"larder unpack": f"{larder} unpack {archive} --into out --quiet"} | peers | with_floor,
            runs,
            directory / archive.stem,
            targets={name: target for name in peers},
            remove_each=False,
            check=lambda name, place: name.startswith("floor") or unpacked_bytes(place / "out") == total_bytes,
        )
        shutil.rmtree(directory / archive.stem)

    many = directory / "many.zip"
    chosen = sizes(int(MANY_BYTES / RATIO), material.random)
    streams = write_zip(many, [(name, lambda size=size: material.take(size)) for name, size in zip(names(), chosen)])
    compare_unpackers(f"A zip of {megabytes(many)}, 3,000 files", many, sum(chosen), streams, 0.6)

    large = directory / "large.zip"
    streams = write_zip(large, [("large.bin", lambda: material.take(LARGE_BYTES))])
    compare_unpackers(f"A zip of {megabytes(large)}, one file of 1 GiB", large, LARGE_BYTES, streams, 0.95)

    tar = directory / "tree.tar.gz"
    chosen = sizes(int(TAR_BYTES / RATIO), material.random)
    contents = [(name, size, lambda size=size: material.take(size)) for name, size in zip(names(), chosen)]
    streams = write_tar_gz(tar, contents)
    seven_zip = "7z x -so {} | 7z x -y -si -ttar -oout >7z.log"
    compare_unpackers(f"A tar.gz of {megabytes(tar)}, 3,000 files", tar, sum(chosen), streams, 0.95, seven_zip)
