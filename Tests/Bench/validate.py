"""`larder validate` beside checkers of JSON Schema, which are given the schema that it prints; they see far less.

100,000 bundles, a small manifest many times, and a list of 1,000,000 segments.
"""

import hashlib
import json
import pathlib
import shlex
import subprocess

from measuring import compare

BUNDLES = 100_000
SEGMENTS = 1_000_000
STARTS = 20
# What part of their time Larder should take at most.
TARGETS = {"json.load and jsonschema-rs": 0.5, "check-jsonschema": 0.1}
TOOLS = pathlib.Path(__file__).resolve().parents[2] / ".build/python/bin"

# Reading and checking as a script would, with the fastest checker there is for Python.
CHECK = """
import json, sys, jsonschema_rs
with open(sys.argv[1]) as schema, open(sys.argv[2]) as manifest:
    jsonschema_rs.validator_for(json.load(schema)).validate(json.load(manifest))
"""


def digest(name):
    return hashlib.sha256(name.encode()).hexdigest()


def bundle(number):
    name = f"texture-{number:06}"
    return {
        "id": name,
        "title": f"Texture {number} of the gallery",
        "kind": "textures",
        "version": "7",
        "urls": [f"textures/{name}.zip", f"https://c.example/textures/{name}.zip"],
        "size": 10_000 + number,
        "sha256": digest(name),
        "tags": ["gallery"],
    }


def segment(number):
    name = f"{number:07}.ts"
    return {"path": name, "urls": [f"film/{name}"], "size": 96_000, "sha256": digest(name), "duration": 6.0}


def manifest(bundles):
    mirrors = ["https://a.example/content/", "https://b.example/content/"]
    return {"format": "larder/1", "id": "museum", "serial": 42, "mirrors": mirrors, "bundles": bundles}


def write(path, value, indent=None):
    path.write_text(json.dumps(value, indent=indent) + "\n")
    return path


def measure(larder, read_manifest, scratch, runs):
    folder = scratch / "validate"
    folder.mkdir()
    schema = folder / "schema.json"
    schema.write_text(subprocess.run(shlex.split(f"{larder} validate --schema"), check=True, capture_output=True, text=True).stdout)
    check = folder / "check.py"
    check.write_text(CHECK)

    def contenders(path, prefix="", suffix=""):
        commands = {
            "larder validate": f"{larder} validate --quiet {path}",
            "json.load and jsonschema-rs": f"{TOOLS}/python {check} {schema} {path}",
            "check-jsonschema": f"{TOOLS}/check-jsonschema --schemafile {schema} {path}",
        }
        return {name: prefix + command + suffix for name, command in commands.items()}

    many = write(folder / "many.json", manifest([bundle(number) for number in range(BUNDLES)]))
    title = f"{BUNDLES:,} bundles, {many.stat().st_size / 1e6:.0f} MB ({runs} runs each)"
    compare(title, contenders(many), runs, folder / "many", remove_each=False, targets=TARGETS)

    small = write(folder / "small.json", manifest([bundle(number) for number in range(5)]), indent=2)
    loop = f"for run in $(seq {STARTS}); do "
    title = f"A manifest of 5 bundles, start of the program included ({runs} runs of {STARTS} each)"
    short = contenders(small, loop, "; done")
    compare(title, short, runs, folder / "small", remove_each=False, times=STARTS, most_seconds=0.015)

    long = write(folder / "long.json", manifest([{"id": "film", "kind": "segments", "segments": [segment(n) for n in range(SEGMENTS)]}]))
    title = f"{SEGMENTS:,} segments, {long.stat().st_size / 1e6:.0f} MB ({runs} runs)"
    compare(title, {"larder validate": contenders(long)["larder validate"]}, runs, folder / "long", remove_each=False)
    for path in [many, long]:
        figures = subprocess.run(shlex.split(f"{read_manifest} {path} {runs}"), check=True, capture_output=True, text=True)
        parsing, checking = figures.stdout.split()
        print(f"  {path.name}: parsed at {parsing} MB, parsed and checked at {checking} MB a second on one core", flush=True)
