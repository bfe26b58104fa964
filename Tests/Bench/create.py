"""`larder manifest create` and `update` beside `openssl dgst -sha256` on all cores: sparse files, and the memory that many small ones take.

CREATE_GB is how much the sparse files hold together, 10 by default.
"""

import os
import pathlib
import shutil
import subprocess

from measuring import compare

FILES = 40
SMALL = [100_000, 1_000_000]
FILES_A_FOLDER = 1000
# What part of openssl's time Larder should take at most: 0.9 of its speed.
TARGETS = {"openssl dgst, xargs -P": 1 / 0.9}


def measure(larder, scratch, runs):
    folder = scratch / "create"
    folder.mkdir()
    total = int(os.environ.get("CREATE_GB", "10")) * 10**9
    sparse = folder / "sparse"
    sparse.mkdir()
    for number in range(FILES):
        with open(sparse / f"{number:02}.mp4", "wb") as file:
            file.truncate(total // FILES)
    cores = os.cpu_count()
    of_all = f"{FILES} sparse files of {total / 1e9:g} GB together, {cores} cores ({runs} runs each)"
    digests = {"openssl dgst, xargs -P": f"ls {sparse}/* | xargs -P {cores} -n 1 openssl dgst -sha256 > sums"}
    contenders = {"larder manifest create": f"{larder} manifest create {sparse} --base https://a.example/ --quiet -o m.json"} | digests
    compare(of_all, contenders, runs, folder / "runs", remove_each=False, targets=TARGETS)

    made = folder / "made.json"
    subprocess.run(f"{larder} manifest create {sparse} --base https://a.example/ --quiet -o {made}", shell=True, check=True)
    contenders = {"larder manifest update": f"{larder} manifest update {made} {sparse} --base https://a.example/ --quiet -o m.json"} | digests
    compare(f"The same, nothing having changed: {of_all}", contenders, runs, folder / "updates", remove_each=False, targets=TARGETS)

    for count in SMALL:
        memory = pathlib.Path("/dev/shm") / scratch.name
        small = memory / str(count)
        try:
            for number in range(count):
                place = small / f"{number // FILES_A_FOLDER:04}"
                if number % FILES_A_FOLDER == 0:
                    place.mkdir(parents=True)
                (place / f"{number:07}.txt").write_text(str(number))
            command = {"larder manifest create": f"{larder} manifest create {small} --base https://a.example/ --quiet -o m.json"}
            compare(f"{count:,} small files (2 runs)", command, 2, folder / f"small-{count}", remove_each=True)
        finally:
            # It takes memory for as long as it is there.
            shutil.rmtree(memory, ignore_errors=True)
