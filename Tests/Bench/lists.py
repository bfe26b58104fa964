"""A Metalink of many files, made a manifest of; beside aria2c, which reads the same Metalink and only prints what is in it."""

import hashlib
import json

from measuring import compare

FILES = 100_000


def write_metalink(path):
    """RFC 5854: of each file its size, its SHA-256 and two sources."""
    with path.open("w") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<metalink xmlns="urn:ietf:params:xml:ns:metalink">\n')
        for number in range(FILES):
            digest = hashlib.sha256(str(number).encode()).hexdigest()
            name = f"folder-{number // 1000:03}/file-{number:06}.bin"
            file.write(
                f'<file name="{name}"><size>{number + 1}</size><hash type="sha-256">{digest}</hash>'
                f"<url>https://a.example/{name}</url><url>https://b.example/{name}</url></file>\n"
            )
        file.write("</metalink>\n")


def is_right(name, place):
    if not name.startswith("larder"):
        return True
    bundles = json.loads((place / "m.json").read_text())["bundles"]
    return sum(len(bundle.get("files", [])) for bundle in bundles) == FILES


def measure(larder, scratch, runs):
    folder = scratch / "lists"
    folder.mkdir()
    metalink = folder / "many.meta4"
    write_metalink(metalink)
    contenders = {
        "larder manifest import": f"{larder} manifest import {metalink} --quiet -o m.json",
        "aria2c, which prints it": f"aria2c --show-files --metalink-file={metalink} > files",
    }
    title = f"A Metalink of {FILES:,} files, {metalink.stat().st_size / 1e6:.0f} MB ({runs} runs each)"
    compare(title, contenders, runs, folder / "runs", remove_each=False, check=is_right)
