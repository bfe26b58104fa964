"""An HLS playlist of 2,000 segments of 50 KB, copied; then how fast long playlists are read, and what planning a copy takes.

yt-dlp is given the same playlist, and joins what it fetches; aria2c is given the list of URLs, and does nothing but fetch. Of TLS, both only speak HTTP/1.1.
"""

import filecmp
import os
import pathlib
import shlex
import subprocess
import sys

from measuring import compare, verdict

COUNT = 2_000
PACKETS = 266
AT_ONCE = 16
LONG = 100_000
READINGS = 40
# Larder's rate should be 1.5 times that of either.
TARGETS = {"yt-dlp": 1 / 1.5, "aria2c": 1 / 1.5}
LEAST_MEGABYTES_A_SECOND = 200
MOST_MEGABYTES = 200
TOOLS = pathlib.Path(__file__).resolve().parents[2] / ".build/python/bin"


def transport_stream():
    """Packets of 188 bytes of one stream, with anything in them."""
    return b"".join(b"\x47\x01\x00\x10" + os.urandom(184) for _ in range(PACKETS))


def playlist(names):
    lines = "".join(f"#EXTINF:6.006,\n{name}\n" for name in names)
    return f"#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:7\n#EXT-X-PLAYLIST-TYPE:VOD\n{lines}#EXT-X-ENDLIST\n"


def rich_playlist(names):
    """With a token, a date and a range for each segment, and a key for some."""
    lines = ["#EXTM3U\n#EXT-X-VERSION:4\n#EXT-X-TARGETDURATION:7\n#EXT-X-PLAYLIST-TYPE:VOD\n"]
    for number, name in enumerate(names):
        if number % 100 == 0:
            lines.append(f'#EXT-X-KEY:METHOD=AES-128,URI="keys/{number}.key",IV=0x{number:032x}\n')
        lines.append(f"#EXT-X-PROGRAM-DATE-TIME:2026-01-{1 + number // 14400 % 28:02}T{number // 600 % 24:02}:{number // 10 % 60:02}:{number % 10 * 6:02}.000Z\n")
        lines.append(f"#EXTINF:6.006,Part {number}\n#EXT-X-BYTERANGE:50008@{number % 100 * 50008}\n{name}?token=0123456789abcdef\n")
    return "".join(lines) + "#EXT-X-ENDLIST\n"


def measure(larder, read_playlist, server, served, scratch, runs):
    film = served / "film"
    film.mkdir()
    names = [f"s{number:04}.ts" for number in range(COUNT)]
    for name in names:
        (film / name).write_bytes(transport_stream())
    (film / "index.m3u8").write_text(playlist(names))
    whole = scratch / "film.ts"
    whole.write_bytes(b"".join((film / name).read_bytes() for name in names))
    size = whole.stat().st_size / 1e6

    def check(contender, place):
        """Whether everything came, and in its order."""
        if contender == "yt-dlp":
            return filecmp.cmp(place / "film.ts", whole, shallow=False)
        folder = place / "library/current/bench/film" if contender == "larder sync" else place
        listed = (folder / "index.m3u8").read_text().splitlines() if contender == "larder sync" else names
        content = b"".join((folder / name).read_bytes() for name in listed if name and not name.startswith("#"))
        return content == whole.read_bytes()

    places = {"on a disk": scratch, "on tmpfs": pathlib.Path("/dev/shm") / scratch.name}
    for protocol, origin in {"HTTP/1.1": server.origin, "HTTP/2 with TLS": server.secure_origin}.items():
        lists = scratch / f"segments-{protocol.split('/')[1][0]}"
        lists.mkdir()
        manifest, urls, settings = lists / "manifest.json", lists / "urls", lists / "settings.json"
        bundle = f'{{"id": "film", "kind": "hls", "urls": ["{origin}/film/index.m3u8"]}}'
        manifest.write_text(f'{{"format": "larder/1", "id": "bench", "serial": 1, "bundles": [{bundle}]}}')
        urls.write_text("".join(f"{origin}/film/{name}\n" for name in names))
        settings.write_text(f'{{"caBundle": "{server.certificate}"}}')
        for place, directory in places.items():
            compare(
                f"{COUNT:,} segments of 50 KB, {size:.0f} MB, {protocol}, {place} ({runs} runs each)",
                {
                    "larder sync": f"{larder} sync {manifest} --library library --config {settings} --quiet "
                    f"--jobs {AT_ONCE} --per-host {AT_ONCE} --min-free 0",
                    "yt-dlp": f"{TOOLS}/yt-dlp --quiet --no-warnings --ignore-config --no-cache-dir --concurrent-fragments {AT_ONCE} --fixup never "
                    f"--no-check-certificates --output film.ts {origin}/film/index.m3u8",
                    "aria2c": f"aria2c --quiet --file-allocation=none --max-concurrent-downloads={AT_ONCE} "
                    f"--ca-certificate={server.certificate} --input-file={urls}",
                },
                runs,
                directory / f"segments-{protocol.replace('/', '')}",
                remove_each=place == "on tmpfs",
                targets=TARGETS,
                check=check,
            )

    print(f"\nPlaylists of {LONG:,} segments, read and planned by one core ({READINGS} runs each)\n")
    for name, make in {"plain": playlist, "rich": rich_playlist}.items():
        path = scratch / f"{name}.m3u8"
        path.write_text(make([f"segment-{number:06}.ts" for number in range(LONG)]))
        figures = subprocess.run(shlex.split(f"{read_playlist} {path} {READINGS}"), check=True, capture_output=True, text=True)
        speed, peak = map(int, figures.stdout.split())
        print(
            f"  {path.stat().st_size / 1e6:4.1f} MB {name:6} read at {speed} MB a second (target: {LEAST_MEGABYTES_A_SECOND}, "
            f"{verdict(LEAST_MEGABYTES_A_SECOND, speed)}); planned within {peak} MB of memory (target: {MOST_MEGABYTES}, {verdict(peak, MOST_MEGABYTES)})",
            flush=True,
        )
