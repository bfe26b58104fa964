"""How much memory it takes to have many transfers at once, and many more waiting."""

import os

from measuring import compare

AT_ONCE = 64
BYTES = 8 << 20
WAITING = 10_000


def measure(download_many, server, served, scratch, runs):
    slow = served / "slow"
    slow.mkdir()
    for number in range(AT_ONCE):
        (slow / f"{number}.bin").write_bytes(os.urandom(BYTES))
    (slow / "small.bin").write_bytes(os.urandom(1 << 10))
    lists = scratch / "memory-lists"
    lists.mkdir()

    def write(name, line, count, files=lambda number: f"{number}.bin"):
        (lists / name).write_text("".join(line.format(url=f"{server.origin}/slow/{files(n)}", n=n) for n in range(count)))
        return lists / name

    ours = write("ours", "{url} - {n}.bin\n", AT_ONCE)
    curl = write("curl", 'url = "{url}"\noutput = "{n}.bin"\n', AT_ONCE)
    plain = write("plain", "{url}\n", AT_ONCE)
    compare(
        f"{AT_ONCE} files of {BYTES >> 20} MiB at once, 4 MiB/s each ({runs} runs each): memory",
        {
            "Downloads": f"{download_many} {ours} . {AT_ONCE}",
            "curl --parallel": f"curl --silent --fail --parallel --parallel-immediate --parallel-max {AT_ONCE} --config {curl} 2>&1",
            "wget2": f"wget2 --quiet --max-threads={AT_ONCE} --input-file={plain}",
            "aria2c": f"aria2c --quiet --file-allocation=none --max-concurrent-downloads={AT_ONCE} --input-file={plain}",
        },
        runs,
        scratch / "memory-at-once",
        remove_each=True,
    )
    # Each with a query of its own: the same URL would be one transfer.
    small = lambda number: f"small.bin?{number}"
    ours = write("ours-waiting", "{url} - {n}.bin\n", WAITING, small)
    curl = write("curl-waiting", 'url = "{url}"\noutput = "{n}.bin"\n', WAITING, small)
    aria2 = write("aria2-waiting", "{url}\n out={n}.bin\n", WAITING, small)
    compare(
        f"{WAITING:,} files of 1 KiB, all asked for at once, 8 at a time ({runs} runs each): memory",
        {
            "Downloads": f"{download_many} {ours} . 8",
            "curl --parallel": f"curl --silent --fail --parallel --parallel-max 8 --config {curl} 2>&1",
            "aria2c": f"aria2c --quiet --file-allocation=none --max-concurrent-downloads=8 --input-file={aria2}",
        },
        runs,
        scratch / "memory-waiting",
        remove_each=True,
    )
