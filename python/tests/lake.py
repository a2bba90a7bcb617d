"""A fleet's lake with every fault that tables have, and one digest of what is said of it."""

import hashlib
import json
import math
import random

import pyarrow
import pyarrow.compute
import pyarrow.parquet

START_S = 1_793_491_200
TICK_S = 300
TICKS = 4 * 288
#: snappy's library for Java takes a machine with musl beside its own C library for one without.
COMPRESSION = "zstd"

SCHEMA = pyarrow.schema(
    [
        ("volume", pyarrow.string()),
        ("time", pyarrow.timestamp("us", "UTC")),
        ("reads", pyarrow.float64()),
        ("writes", pyarrow.int64()),
        ("read_bytes", pyarrow.float64()),
        ("write_bytes", pyarrow.int64()),
        ("size", pyarrow.float64()),
        ("current", pyarrow.string()),
        ("instance_type", pyarrow.string()),
    ]
)

NAN, NONE = math.nan, None


def _volume(drawn, name, faults):
    """Rows of one volume; `faults` changes them one by one or all."""
    iops = drawn.choice([40, 300, 1500, 4000, 9000])
    growth = drawn.uniform(0.8, 1.9)
    rows = []
    for tick in range(TICKS):
        factor = growth if tick >= TICKS * 2 // 3 else 1.0
        reads = int(iops * TICK_S * factor * drawn.uniform(0.7, 1.0))
        writes = int(reads * drawn.uniform(0.2, 0.6))
        rows.append(
            {
                "volume": name,
                "time": (START_S + tick * TICK_S) * 1_000_000,
                "reads": float(reads),
                "writes": writes,
                "read_bytes": float(reads * 16384),
                "write_bytes": writes * 8192,
                "size": 200.0,
                "current": "gp3:iops=16000,throughput=500",
                "instance_type": NONE,
            }
        )
    return faults(rows) or rows


def _each(change, at=lambda tick: True):
    def faults(rows):
        for tick, row in enumerate(rows):
            if at(tick):
                row.update(change(tick, row))

    return faults


def _gaps(rows):
    return [row for tick, row in enumerate(rows) if not 300 < tick < 340]


def _repeats(rows):
    return rows + [dict(row) for row in rows[100:110]]


def _contradictions(rows):
    return rows + [{**row, "writes": row["writes"] + 7} for row in rows[200:210]]


def _two_disks(rows):
    return rows + [{**row, "writes": row["writes"] * 3} for row in rows]


FAULTS = {
    "gaps": _gaps,
    "repeats": _repeats,
    "contradictions": _contradictions,
    "two-disks": _two_disks,
    "sectors": _each(lambda _, row: {"read_bytes": row["read_bytes"] / 512, "write_bytes": row["write_bytes"] // 512}),
    "no-size": _each(lambda *_: {"size": NONE, "current": NONE}),
    "size-of-today": _each(lambda *_: {"size": NONE, "current": "gp3:size=300GiB"}),
    "size-in-bytes": _each(lambda *_: {"size": 200.0 * 2**30}),
    "wrong-size": _each(lambda *_: {"size": NAN}),
    "some-wrong-sizes": _each(lambda *_: {"size": -1.0}, lambda tick: tick % 50 == 0),
    "resized": _each(lambda *_: {"size": 400.0}, lambda tick: tick > 700),
    "retyped": _each(lambda *_: {"current": "gp2"}, lambda tick: tick < 500),
    "moved": _each(lambda tick, _: {"instance_type": "r6i.xlarge" if tick < 500 else "r6i.2xlarge"}),
    "unknown-instance": _each(lambda *_: {"instance_type": "z9.huge"}),
    "unknown-type": _each(lambda *_: {"current": "gp9"}),
    "too-small": _each(lambda *_: {"current": "gp3:iops=3000"}),
    "nan": _each(lambda *_: {"reads": NAN}, lambda tick: tick in (17, 400)),
    "negative": _each(lambda *_: {"writes": -7}, lambda tick: tick in (5, 18, 900)),
    "infinite": _each(lambda *_: {"read_bytes": math.inf}, lambda tick: tick == 33),
    "many-nan": _each(lambda *_: {"reads": NAN}, lambda tick: tick % 9 == 0),
    "nulls": _each(lambda *_: {"reads": NONE, "write_bytes": NONE}, lambda tick: tick % 40 == 0),
    "no-time": _each(lambda *_: {"time": NONE}, lambda tick: tick == 8),
    "no-ios": _each(lambda *_: {"reads": 0.0, "read_bytes": 4096.0}, lambda tick: tick in (30, 31)),
    "absurd": _each(lambda *_: {"reads": 6e12, "read_bytes": 6e16}, lambda tick: tick == 77),
    "idle": _each(lambda *_: {"reads": 0.0, "writes": 0, "read_bytes": 0.0, "write_bytes": 0}),
    "short": lambda rows: rows[:1],
    "throttled": _each(
        lambda *_: {
            "reads": 4000.0 * TICK_S,
            "writes": 0,
            "read_bytes": 4000.0 * TICK_S * 4096,
            "write_bytes": 0,
            "current": "io2:iops=4000",
        },
        lambda tick: tick % 3,
    ),
}


def table(volumes=60, seed=1):
    """All rows, by volume and time."""
    drawn = random.Random(seed)
    rows = []
    for number in range(volumes):
        rows += _volume(drawn, f"vol-{number:03}", lambda rows: rows)
    for name, faults in FAULTS.items():
        rows += _volume(drawn, f"{name}-é" if name == "gaps" else name, faults)
    rows += _volume(drawn, NONE, lambda rows: rows[:50])
    return pyarrow.Table.from_pylist(rows, SCHEMA).sort_by([("volume", "ascending"), ("time", "ascending")])


def write(folder, rows, by_day=False):
    """The lake as files: volume by volume, or one for each day in the order of time."""
    folder.mkdir()
    if not by_day:
        pyarrow.parquet.write_table(rows, folder / "fleet.parquet", row_group_size=7000, compression=COMPRESSION)
        return folder
    days = pyarrow.compute.strftime(rows["time"], format="%Y-%m-%d").fill_null("none")
    for day in sorted(set(days.to_pylist())):
        of_day = rows.filter(pyarrow.compute.equal(days, day)).sort_by([("time", "ascending"), ("volume", "ascending")])
        pyarrow.parquet.write_table(of_day, folder / f"{day}.parquet", compression=COMPRESSION)
    return folder


def digest(rows, summary):
    """SHA-256 of all verdicts in the order of their names, and of the summary but for its source and command."""
    lines = []
    for row in rows.to_pylist():
        notes = row["notes"]
        if isinstance(notes, list):
            row["notes"] = " ".join(notes) or None
        lines.append(json.dumps({key: value for key, value in row.items() if value is not None}, sort_keys=True))
    summary = {key: value for key, value in summary.items() if key not in ("from", "command")}
    text = "\n".join(sorted(lines)) + "\n" + json.dumps(summary, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
