"""Rows a second and CPU time a row of `fathom.spark`, with one executor and with two: python spark_rows.py [VOLUMES [ROWS]]

A lake of VOLUMES (124) with ROWS each (20,160: 14 days of minutes), in files by day, is judged by Spark with its shuffle, in
sessions of one and of two executors of one core each, in turns; each session judges it once before. CPU time is that of
the executors and of the Python that they start, from `/proc`, without that of the driver, whose memory at its peak is
printed. Linux alone; it needs Java, PySpark, pyarrow and the package.
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import pyarrow
import pyarrow.compute
import pyarrow.parquet

DAY = 1440
TURNS = 3
FROM = 1_793_491_200
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def lake(folder, volumes, rows):
    """A file for each day of minutes, in the order of time, whose counts vary from minute to minute."""
    names = [f"vol-{number:08x}" for number in range(volumes)]
    rates = [(50, 400, 2000, 8000)[number % 4] for number in range(volumes)]
    for day, start in enumerate(range(0, rows, DAY)):
        minutes = range(start, min(rows, start + DAY))
        drawn = random.Random(day)
        counts = [int(60 * rate * drawn.uniform(0.6, 1.0)) for _ in minutes for rate in rates]
        reads = pyarrow.array(counts, pyarrow.int64())
        times = [FROM + 60 * minute for minute in minutes for _ in names]
        columns = {"volume": names * len(minutes), "time": times, "reads": reads, "writes": pyarrow.compute.divide(reads, 3)}
        columns["read_bytes"] = pyarrow.compute.multiply(reads, 16384)
        columns["write_bytes"] = pyarrow.compute.multiply(columns["writes"], 8192)
        pyarrow.parquet.write_table(pyarrow.table(columns), pathlib.Path(folder) / f"day-{day:03}.parquet", compression="zstd")


def family(root):
    """Executors that this process has started, and all that they have."""
    parents, executors = {}, set()
    for place in pathlib.Path("/proc").iterdir():
        if not place.name.isdigit():
            continue
        try:
            parents[int(place.name)] = int((place / "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[1])
            if b"CoarseGrainedExecutorBackend" in (place / "cmdline").read_bytes():
                executors.add(int(place.name))
        except OSError:
            pass

    def above(pid):
        while pid in parents:
            yield pid
            pid = parents[pid]

    return [pid for pid in parents if root in above(pid) and executors & set(above(pid))]


def spent(pids):
    """Seconds of CPU time of these processes and of those that they have outlived."""
    ticks = 0
    for pid in pids:
        try:
            ticks += sum(map(int, pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[11:15]))
        except OSError:
            pass
    return ticks / TICKS_PER_SECOND


def peak(pid):
    """Most memory that a process has had resident, in MB."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1e3


def of_executors(folder, executors):
    """In a process of its own, as a session has one number of executors: a line of seconds, CPU seconds, rows and MB."""
    import fathom.spark
    from pyspark.sql import SparkSession

    # They run the Python that this runs in.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    built = SparkSession.builder.master(f"local-cluster[{executors},1,1536]").config("spark.executor.memory", "1g")
    built = built.config("spark.driver.memory", "1g").config("spark.ui.enabled", "false").config("spark.driver.bindAddress", "127.0.0.1")
    spark = built.config("spark.driver.host", "127.0.0.1").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    table = spark.read.parquet(folder)
    count = table.count()
    for turn in range(2):
        before, start = spent(family(os.getpid())), time.perf_counter()
        rows, _ = fathom.spark.size_fleet(table, region="us-east-1", values="per-row", size="500GiB")
        rows.unpersist()
        took, cpu = time.perf_counter() - start, spent(family(os.getpid())) - before
    gateway = spark.sparkContext._gateway.proc.pid
    print(took, cpu, count, peak(gateway) + peak(os.getpid()), flush=True)
    spark.stop()


def main():
    volumes, rows = (int(word) for word in (sys.argv[1:] + ["124", "20160"][len(sys.argv) - 1 :])[:2])
    with tempfile.TemporaryDirectory() as folder:
        lake(folder, volumes, rows)
        found = {1: [], 2: []}
        for turn in range(TURNS):
            for executors in (1, 2) if turn % 2 == 0 else (2, 1):
                words = [sys.executable, __file__, "--session", folder, str(executors)]
                ended = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
                found[executors].append([float(word) for word in ended.stdout.split()])
    for executors, turns in found.items():
        took, cpu, count, memory = (sorted(column)[TURNS // 2] for column in zip(*turns))
        rate = count / took / executors / 1e6
        print(f"{executors} executors: {rate:.2f} million rows/s a core, {1e9 * cpu / count:.0f} ns of CPU time a row, driver's peak {memory:.0f} MB")
    one, two = (sorted(turn[1] for turn in turns)[TURNS // 2] for turns in found.values())
    print(f"CPU time with two over that with one: {two / one:.3f}; medians of {TURNS} sessions each")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--session"]:
        of_executors(sys.argv[2], int(sys.argv[3]))
    else:
        main()
