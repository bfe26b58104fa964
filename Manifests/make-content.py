#!/usr/bin/env python3
"""Makes the demo's content and its manifest: the same bytes every time, given the same zlib.

    Manifests/make-content.py

Two archives of textures (PNGs, stored; TGAs, deflated), a book, and plain files. The pictures have a grain, as photographs have, and so
they are as hard to compress. Everything is made from the numbers below: nothing is random, nothing is read, nothing is dated today.
"""

import hashlib
import json
import math
import pathlib
import struct
import zipfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
SIDE = 512  # pixels of a texture, which tiles seamlessly
DATE = (2026, 11, 29, 12, 0, 0)


def noise_bytes(purpose, count):
    """Bytes that look random and depend on nothing but `purpose`."""
    return hashlib.shake_256(purpose.encode()).digest(count)


# Textures. A field is a list of SIDE * SIDE numbers from 0 to 1, row by row.


def smooth(t):
    return t * t * (3 - 2 * t)


def value_noise(purpose, columns, rows):
    """Random values on a lattice, interpolated; the last column borders the first, and so for rows."""
    lattice = [b / 255 for b in noise_bytes(f"{purpose} {columns}x{rows}", columns * rows)]

    def places(cells):
        for position in range(SIDE):
            scaled = position * cells / SIDE
            cell = int(scaled)
            yield cell % cells, (cell + 1) % cells, smooth(scaled - cell)

    across = list(places(columns))
    field = []
    for upper, lower, down in places(rows):
        line = [
            lattice[upper * columns + x] * (1 - down) + lattice[lower * columns + x] * down for x in range(columns)
        ]
        field += [line[left] * (1 - right_share) + line[right] * right_share for left, right, right_share in across]
    return field


def fractal(purpose, columns, rows=None, octaves=4):
    """Value noise at several scales, each twice as fine and half as strong as the one before."""
    rows = rows or columns
    total = [0.0] * (SIDE * SIDE)
    strength = 1.0
    for octave in range(octaves):
        layer = value_noise(f"{purpose} {octave}", columns << octave, rows << octave)
        total = [t + strength * v for t, v in zip(total, layer)]
        strength /= 2
    return [t / (2 - 2 * strength) for t in total]


def bricks(columns, rows, joint):
    """1 on a brick, 0 in the mortar; every other row is shifted by half a brick."""
    width, height = SIDE // columns, SIDE // rows
    return [
        float(y % height >= joint and (x + (y // height % 2) * width // 2) % width >= joint)
        for y in range(SIDE)
        for x in range(SIDE)
    ]


def painted(purpose, field, palette, grain):
    """Rows of RGB bytes: colours of a palette along the field, with a grain of its own for each channel."""
    steps = []
    for index in range(256):
        at = index / 255 * (len(palette) - 1)
        low = min(int(at), len(palette) - 2)
        steps.append([round(a + (b - a) * (at - low)) for a, b in zip(palette[low], palette[low + 1])])
    grains = iter(noise_bytes(f"{purpose} grain", 3 * SIDE * SIDE))
    pixels = bytearray()
    for value in field:
        for channel in steps[min(255, max(0, int(value * 256)))]:
            pixels.append(min(255, max(0, channel + next(grains) % (2 * grain + 1) - grain)))
    return bytes(pixels)


def walls():
    rough = fractal("plaster", 4, octaves=6)
    lime = [(222, 214, 198), (246, 242, 232)]
    yield "plaster", painted("plaster", rough, lime, 6)

    shade = fractal("bricks", 8)
    wall = [brick * (0.35 + 0.6 * s) for brick, s in zip(bricks(8, 16, 4), shade)]
    yield "bricks", painted("bricks", wall, [(196, 188, 176), (110, 48, 36), (176, 84, 60)], 10)

    grain = fractal("planks", 2, 32)
    planks = [edge * (0.3 + 0.7 * g) for edge, g in zip(bricks(2, 8, 3), grain)]
    yield "planks", painted("planks", planks, [(40, 26, 16), (116, 78, 44), (188, 142, 92)], 8)

    glaze = fractal("tiles", 2)
    tiles = [edge * (0.5 + 0.5 * g) for edge, g in zip(bricks(4, 4, 6), glaze)]
    yield "tiles", painted("tiles", tiles, [(90, 92, 94), (38, 96, 120), (120, 184, 196)], 5)

    folded = [abs(2 * v - 1) for v in fractal("marble", 3, octaves=6)]
    yield "marble", painted("marble", folded, [(70, 72, 80), (214, 214, 210), (240, 240, 236)], 4)

    blocks = fractal("stone", 6, octaves=5)
    stone = [(0.2 + 0.8 * edge) * b for edge, b in zip(bricks(4, 8, 5), blocks)]
    yield "stone", painted("stone", stone, [(46, 46, 44), (120, 118, 110), (180, 176, 164)], 12)


def terrain():
    palettes = {
        "grass": [(30, 52, 18), (74, 112, 36), (140, 164, 74)],
        "sand": [(164, 132, 84), (208, 180, 126), (234, 214, 170)],
        "rock": [(48, 44, 42), (112, 106, 100), (170, 164, 156)],
        "moss": [(34, 38, 22), (82, 96, 36), (128, 132, 84)],
        "snow": [(196, 208, 222), (236, 242, 248), (252, 254, 255)],
        "water": [(12, 40, 66), (28, 84, 116), (120, 176, 190)],
    }
    for name, palette in palettes.items():
        yield name, painted(name, fractal(name, 6, octaves=6), palette, 10)


def png(pixels):
    """PNG (ISO/IEC 15948): 8-bit RGB, every row filtered by its difference from the pixel to the left."""

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = bytearray()
    for start in range(0, len(pixels), 3 * SIDE):
        row = pixels[start : start + 3 * SIDE]
        rows += b"\1" + bytes((b - a) & 255 for a, b in zip(b"\0\0\0" + row, row))
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b"")
    )


def tga(pixels):
    """Truevision TGA: true colour, not compressed, blue first, the top row first."""
    blue_first = bytearray(pixels)
    blue_first[0::3], blue_first[2::3] = pixels[2::3], pixels[0::3]
    return struct.pack("<BBBHHBHHHHBB", 0, 0, 2, 0, 0, 0, 0, 0, SIDE, SIDE, 24, 0x20) + bytes(blue_first)


# Files.


def write_zip(path, entries):
    """`entries`: name, bytes, and whether to deflate."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data, deflated in entries:
            entry = zipfile.ZipInfo(name, DATE)
            entry.create_system = 3  # Unix, for the permissions
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
            archive.writestr(entry, data, compresslevel=9)


CHAPTERS = [
    (
        "What a larder is",
        [
            "A larder is the cool room beside a kitchen: what the house will need is put there before it is needed, whole and in its place.",
            "Larder does that for a disk. A manifest names media bundles and says where they are, how large they are and what their digest is. "
            "Larder fetches them, checks them, unpacks them, and only then puts them where readers look.",
        ],
    ),
    (
        "The way in",
        [
            "Bytes go one way. They come from a server or a local file into a partial file, and their digest is taken as they pass. "
            "If the line breaks, or somebody presses Control-C, the partial file stays, with a note of what the server said about it. "
            "The next run asks for the rest alone, and only if the server still has the same thing.",
            "An archive is unpacked beside the shelves, never on them. A name that would lead out of its own directory, a size that was not "
            "announced, a checksum that does not hold: any of these, and nothing of that bundle is kept.",
        ],
    ),
    (
        "The shelves",
        [
            "What is complete is moved to the store and never changed there. A generation is a directory of links into the store, and "
            "“current” is a link to the latest generation.",
            "To publish is to replace that one link. A reader sees the old shelves or the new ones, and never something between.",
        ],
    ),
]

XHTML = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="en" lang="en">
<head><title>{title}</title></head>
<body>
{body}
</body>
</html>
"""

CONTAINER = """<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
  <rootfiles>
    <rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/>
  </rootfiles>
</container>
"""

PACKAGE = """<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en">
  <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:identifier id="id">urn:uuid:6b0f7a3e-52c4-4d5e-9a61-0f4c1d2e3b58</dc:identifier>
    <dc:title>About Larder</dc:title>
    <dc:language>en</dc:language>
    <meta property="dcterms:modified">2026-11-29T12:00:00Z</meta>
  </metadata>
  <manifest>
    <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
{items}
  </manifest>
  <spine>
{spine}
  </spine>
</package>
"""


def book():
    """EPUB 3.3: the media type first and stored, the container that names the package, the package, its navigation and chapters."""
    names = [f"chapter-{number}" for number in range(1, len(CHAPTERS) + 1)]
    yield "mimetype", b"application/epub+zip", False
    yield "META-INF/container.xml", CONTAINER.encode(), True
    items = "\n".join(f'    <item id="{n}" href="{n}.xhtml" media-type="application/xhtml+xml"/>' for n in names)
    spine = "\n".join(f'    <itemref idref="{n}"/>' for n in names)
    yield "EPUB/package.opf", PACKAGE.format(items=items, spine=spine).encode(), True
    links = "\n".join(f'<li><a href="{n}.xhtml">{title}</a></li>' for n, (title, _) in zip(names, CHAPTERS))
    nav = f'<nav epub:type="toc">\n<h1>Contents</h1>\n<ol>\n{links}\n</ol>\n</nav>'
    yield "EPUB/nav.xhtml", XHTML.format(title="About Larder", body=nav).encode(), True
    for name, (title, paragraphs) in zip(names, CHAPTERS):
        body = "\n".join([f"<h1>{title}</h1>"] + [f"<p>{text}</p>" for text in paragraphs])
        yield f"EPUB/{name}.xhtml", XHTML.format(title=title, body=body).encode(), True


def bell():
    """WAV: three seconds of a bell, 16 bits, one channel; partials that are not harmonic, each dying away at its own speed."""
    rate, seconds = 22050, 3
    partials = [(220, 0.5, 1.2), (442, 0.25, 2), (529, 0.2, 2.4), (661, 0.12, 3), (883, 0.08, 4)]
    samples = bytearray()
    for index in range(rate * seconds):
        t = index / rate
        level = sum(strength * math.exp(-decay * t) * math.sin(2 * math.pi * hertz * t) for hertz, strength, decay in partials)
        samples += struct.pack("<h", max(-32768, min(32767, round(level * 26000))))
    form = struct.pack("<HHIIHH", 1, 1, rate, 2 * rate, 2, 16)
    chunks = b"fmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", len(samples)) + samples
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


PALETTE = """GIMP Palette
Name: Larder
Columns: 4
#
246 242 232	Lime wash
176  84  60	Brick
116  78  44	Plank
 38  96 120	Glaze
"""

README = """These files are the content of Larder's demonstration: textures, a book, a palette and a bell.
They were computed, not collected: Manifests/make-content.py makes them again.
They are under the same licence as Larder.
"""


def source(path):
    data = path.read_bytes()
    return {
        "urls": [path.relative_to(HERE).as_posix()],
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }


def main():
    content = HERE / "content"
    notes = content / "notes"
    notes.mkdir(parents=True, exist_ok=True)
    write_zip(content / "walls.zip", [(f"{name}.png", png(pixels), False) for name, pixels in walls()])
    write_zip(content / "terrain.zip", [(f"{name}.tga", tga(pixels), True) for name, pixels in terrain()])
    write_zip(content / "about-larder.epub", book())
    (notes / "readme.txt").write_text(README)
    (notes / "palette.gpl").write_text(PALETTE)
    (notes / "bell.wav").write_bytes(bell())

    names = ["readme.txt", "palette.gpl", "bell.wav"]
    manifest = {
        "format": "larder/1",
        "id": "demo",
        "serial": 1,
        "created": "2026-11-29T12:00:00Z",
        "bundles": [
            {"id": "walls", "title": "Walls and floors", "kind": "textures", "version": "1"}
            | source(content / "walls.zip")
            | {"unpack": {"format": "zip"}},
            {"id": "terrain", "title": "Grounds and waters", "kind": "textures", "version": "1"}
            | source(content / "terrain.zip"),
            {"id": "book", "title": "About Larder", "kind": "ebook"} | source(content / "about-larder.epub"),
            {"id": "notes", "kind": "files", "files": [{"path": name} | source(notes / name) for name in names]},
        ],
    }
    (HERE / "demo.json").write_text(json.dumps(manifest, indent=2) + "\n")


if __name__ == "__main__":
    main()
