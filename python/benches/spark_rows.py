"""What a fleet costs in Spark, a CPU second at a time: python spark_rows.py [VOLUMES] [--wide]

Volumes of 14 days of minutes each, 124 by default: 2.5 million rows, in one file a day, so that Spark has to move every row.
With --wide volumes of one day of hours, 100,000 by default: what the driver holds. One and two executors of a core, each with
a session of its own; the first job of a session, which starts Python and reads classes, is not counted. CPU time is that
of the executors and their Python workers, from /proc; the least of three turns is shown.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

HZ = os.sysconf("SC_CLK_TCK")
TURNS = 3
START = 1_793_491_200


def write(folder, volumes, ticks, tick_s, files):
    """The fleet as Parquet, each file a stretch of time of all volumes."""
    import random

    import pyarrow
    import pyarrow.parquet

    drawn = random.Random(1)
    usual = [drawn.choice([50, 400, 2000, 8000]) * tick_s for _ in range(volumes)]
    names = pyarrow.array([f"vol-{number:08x}" for number in range(volumes)])
    each = ticks // files
    for file in range(files):
        times, columns = [], {"reads": [], "writes": [], "read_bytes": [], "write_bytes": []}
        for tick in range(file * each, (file + 1) * each):
            times += [START + tick * tick_s] * volumes
            reads = [int(level * drawn.uniform(0.6, 1.0)) for level in usual]
            columns["reads"] += reads
            columns["writes"] += [count // 3 for count in reads]
            columns["read_bytes"] += [count * 16384 for count in reads]
            columns["write_bytes"] += [count // 3 * 8192 for count in reads]
        table = pyarrow.table({"volume": pyarrow.chunked_array([names] * each), "time": times, **columns})
        # Uncompressed: the library for snappy in Java does not load everywhere.
        pyarrow.parquet.write_table(table.combine_chunks(), folder / f"{file:02}.parquet", compression="none")
    return volumes * each * files


def processes():
    """Every process with its parent, its command and the CPU seconds of it and of those that it has waited for."""
    found = {}
    for place in pathlib.Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                after = (place / "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
                found[int(place.name)] = (int(after[1]), (place / "cmdline").read_bytes(), sum(map(int, after[11:15])) / HZ)
            except OSError:
                continue
    return found


def executors_spent():
    """CPU seconds of this process's executors and of what they started."""
    known = processes()

    def above(pid):
        while pid in known:
            yield pid
            pid = known[pid][0]

    def is_executor(pid):
        return b"CoarseGrainedExecutorBackend" in known[pid][1]

    return sum(spent for pid, (_, _, spent) in known.items() if os.getpid() in above(pid) and any(map(is_executor, above(pid))))


def peak_mib(pid):
    line = next(line for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def measure(folder, executors, rows):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    import fathom.spark
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master(f"local-cluster[{executors},1,1536]")
        .config("spark.executor.memory", "1g")
        .config("spark.driver.memory", "512m")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    least_cpu = least_s = float("inf")
    for turn in range(TURNS + 1):
        before, start = executors_spent(), time.monotonic()
        judged, summary = fathom.spark.size_fleet(
            spark.read.parquet(folder), region="us-east-1", values="per-row", size="500GiB", partitions=8
        )
        spent, seconds = executors_spent() - before, time.monotonic() - start
        judged.unpersist()
        assert summary["rows"] == rows, summary["rows"]
        if turn:
            least_cpu, least_s = min(least_cpu, spent), min(least_s, seconds)
    known = processes()
    java = [pid for pid, (parent, _, _) in known.items() if parent == os.getpid() and b"SparkSubmit" in known[pid][1]]
    peak = f"driver's peak: {peak_mib(os.getpid()):.0f} MiB of Python and {sum(map(peak_mib, java)):.0f} MiB of Java (heap 512 MiB)"
    spark.stop()
    print(
        f"{executors} executors: {1e6 * least_cpu / rows:.2f} us of CPU a row, {rows / least_cpu / 1e6:.2f} million rows a CPU second; "
        f"{rows / least_s / 1e6 / executors:.2f} million rows/s a core by the clock; {peak}",
        flush=True,
    )


def main():
    if sys.argv[1] == "measure":
        return measure(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    wide = "--wide" in sys.argv
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    with tempfile.TemporaryDirectory() as folder:
        shape = (24, 3600, 4) if wide else (14 * 1440, 60, 14)
        rows = write(pathlib.Path(folder), (numbers or [100_000 if wide else 124])[0], *shape)
        for executors in (1, 2):
            subprocess.run([sys.executable, __file__, "measure", folder, str(executors), str(rows)], check=True)
    return None


if __name__ == "__main__":
    sys.argv += [] if len(sys.argv) > 1 else ["124"]
    main()
