"""CPU time a row of the package and of the program, turn by turn: FATHOM=target/release/fathom python rows_per_second.py [VOLUMES]

Volumes of 14 days of minutes each, sorted, 124 by default: 2.5 million rows. Each turn judges the same fleet from Arrow
columns in memory, whose names are a dictionary or strings, from its Parquet file as pyarrow decodes it, and by the program
that FATHOM names. The least of five turns is shown: other programs only add to it.
"""

import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

import fathom
import pyarrow
import pyarrow.compute
import pyarrow.parquet

MINUTES = 14 * 1440
TURNS = 5
WORDS = {"region": "us-east-1", "values": "per-row"}


def table(volumes):
    """Counts that vary from minute to minute."""
    drawn = random.Random(1)
    times = pyarrow.array([1_793_491_200 + 60 * minute for minute in range(MINUTES)], pyarrow.int64())
    parts = []
    for number in range(volumes):
        iops = drawn.choice([50, 400, 2000, 8000])
        reads = pyarrow.array([int(iops * 60 * drawn.uniform(0.6, 1.0)) for _ in range(MINUTES)], pyarrow.int64())
        writes = pyarrow.compute.divide(reads, 3)
        columns = {"volume": pyarrow.array([f"vol-{number:08x}"] * MINUTES), "time": times, "reads": reads, "writes": writes}
        columns["read_bytes"] = pyarrow.compute.multiply(reads, 16384)
        columns["write_bytes"] = pyarrow.compute.multiply(writes, 8192)
        parts.append(pyarrow.table(columns))
    return pyarrow.concat_tables(parts).combine_chunks()


def spent(work):
    """CPU seconds of this process and of programs that it started."""
    start = time.process_time()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    children = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.process_time() - start + children


def main():
    rows = table(int(sys.argv[1]) if len(sys.argv) > 1 else 124)
    keyed = rows.set_column(0, "volume", rows["volume"].dictionary_encode())
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "fleet.parquet"
        pyarrow.parquet.write_table(rows, path)

        def stream():
            file = pyarrow.parquet.ParquetFile(path)
            return pyarrow.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches())

        def judge(given):
            terms = fathom.margin(fathom.growths(given(), values="per-row"))
            fathom.judge(given(), terms=terms, size="500GiB", **WORDS)

        terms = fathom.margin(fathom.growths(keyed, values="per-row"))
        works = {
            "growths, dictionary": lambda: fathom.growths(keyed, values="per-row"),
            "judge, dictionary": lambda: fathom.judge(keyed, terms=terms, size="500GiB", **WORDS),
            "growths, strings": lambda: fathom.growths(rows, values="per-row"),
            "judge, strings": lambda: fathom.judge(rows, terms=terms, size="500GiB", **WORDS),
            "both, Parquet by pyarrow": lambda: judge(stream),
        }
        if program := os.environ.get("FATHOM"):
            words = [program, "size", "--fleet", str(path), "--values", "per-row", "--region", "us-east-1", "--size", "500GiB"]
            works["both, Parquet by the program"] = lambda: subprocess.run([*words, "--json"], check=True, capture_output=True)
        least = {name: float("inf") for name in works}
        for _ in range(TURNS):
            for name, work in works.items():
                least[name] = min(least[name], spent(work))
    for name, seconds in least.items():
        print(f"{name:<28} {1e9 * seconds / len(rows):6.1f} ns a row, {len(rows) / seconds / 1e6:5.1f} million rows/s a core")


if __name__ == "__main__":
    main()
