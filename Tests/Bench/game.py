"""A real bundle: fetched, verified, unpacked and published."""

import hashlib
import pathlib

from measuring import compare

GAME = pathlib.Path("/usr/share/games/openarena/baseoa/pak6-patch088.pk3")


def measure(larder, server, served, scratch, runs):
    digest = hashlib.sha256(GAME.read_bytes()).hexdigest()
    (served / "game.pk3").symlink_to(GAME)
    bundle = '{"id": "game", "kind": "textures", "urls": ["game.pk3"], "size": %d, "sha256": "%s"}' % (GAME.stat().st_size, digest)
    (served / "game.json").write_text('{"format": "larder/1", "id": "bench", "serial": 1, "bundles": [%s]}' % bundle)
    check = f"echo '{digest}  game.pk3' | sha256sum --check --quiet"
    fetch = f"aria2c --quiet --out=game.pk3 {server.origin}/game.pk3; {check}; unzip -q game.pk3 -d game"
    compare(
        f"OpenArena's textures, fetched, verified and unpacked: 73 MB, 208 MB unpacked ({runs} runs each)",
        {
            "larder sync": f"{larder} sync {server.origin}/game.json --library library --quiet",
            "aria2c, sha256sum, unzip": fetch,
            "aria2c, sha256sum, unzip, sync": f"{fetch}; find game -type f -exec sync {{}} +",
        },
        runs,
        scratch / "game",
        remove_each=False,
    )
