"""The lake's answer from Spark: several executors as processes of their own, one of them killed in mid-job."""

import os
import pathlib
import shutil
import signal
import sys
import threading
import time

import fathom
import fathom.spark
import lake
import pyarrow.parquet
import pytest
from conftest import REGION

pyspark = pytest.importorskip("pyspark", reason="no PySpark of pip to try the Python package in Spark with")

if shutil.which("java") is None:
    pytest.skip("no Java to try the Python package in Spark with", allow_module_level=True)


# Executors run the Python that the tests run in.
os.environ["PYSPARK_PYTHON"] = sys.executable


def session(executors):
    from pyspark.sql import SparkSession

    built = (
        SparkSession.builder.master(f"local-cluster[{executors},1,1536]")
        .config("spark.executor.memory", "1g")
        .config("spark.driver.memory", "1g")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "6")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executorEnv.PYTHONPATH", os.environ.get("PYTHONPATH", ""))
        .getOrCreate()
    )
    built.sparkContext.setLogLevel("ERROR")
    return built


def executors():
    """Processes of executors that this process is the ancestor of."""
    found = [int(place.name) for place in pathlib.Path("/proc").iterdir() if place.name.isdigit()]
    return [pid for pid in found if _is_executor(pid) and _is_ours(pid)]


def _is_executor(pid):
    try:
        return b"CoarseGrainedExecutorBackend" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _is_ours(pid):
    while pid > 1:
        if pid == os.getpid():
            return True
        try:
            pid = int(pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError):
            return False
    return False


def answer(spark, days, partitions):
    rows, summary = fathom.spark.size_fleet(
        spark.read.parquet(str(days)), region=REGION, risk="10%", values="per-row", partitions=partitions
    )
    found = lake.digest(rows.toArrow() if hasattr(rows, "toArrow") else _table(rows), summary)
    rows.unpersist()
    return found


def _table(rows):
    return pyarrow.Table.from_pylist([row.asDict(recursive=True) for row in rows.collect()])


@pytest.fixture(scope="module")
def two(days):
    spark = session(2)
    yield spark
    spark.stop()


@pytest.mark.parametrize("partitions", [pytest.param(3, marks=pytest.mark.briefly), 8])
def test_two_executors_say_what_the_program_says(two, days, expected, partitions):
    assert answer(two, days, partitions) == expected


@pytest.mark.briefly
def test_an_executor_that_is_killed_changes_nothing(two, days, expected):
    killed = []

    def kill():
        status = two.sparkContext.statusTracker()
        end = time.monotonic() + 120
        while time.monotonic() < end and not killed:
            stages = [status.getStageInfo(stage) for stage in status.getActiveStageIds()]
            if any(stage and stage.numTasks == 12 and stage.numCompletedTasks >= 4 for stage in stages):
                for pid in executors()[:1]:
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
            time.sleep(0.02)

    killer = threading.Thread(target=kill)
    killer.start()
    found = answer(two, days, 12)
    killer.join()
    assert found == expected
    assert killed, "no executor was killed: its tasks were over too soon"


def test_what_is_refused_in_a_task_is_told_in_its_words(two, days):
    frame = two.read.parquet(str(days)).coalesce(1)
    with pytest.raises(fathom.Refusal, match="a task: the stream: rows of .* lie apart; sort it"):
        fathom.spark.size_fleet(frame, region=REGION, values="per-row", presorted=True)
    with pytest.raises(fathom.Refusal, match="no prices of mars are known"):
        fathom.spark.size_fleet(two.read.parquet(str(days)), region="mars", values="per-row")
    with pytest.raises(fathom.Refusal, match="no column names the volume"):
        fathom.spark.size_fleet(frame.drop("volume"), region=REGION, values="per-row")


def test_a_table_that_is_sorted_is_not_moved_unless_a_volume_is_cut(two, folder, expected):
    words = {"region": REGION, "values": "per-row", "presorted": True}
    whole = two.read.parquet(str(folder)).coalesce(1)
    rows, summary = fathom.spark.size_fleet(whole, **words)
    assert lake.digest(_table(rows), summary) == expected
    rows.unpersist()
    # The days before a time, and those behind it.
    cut = whole.repartitionByRange(2, "time").sortWithinPartitions("volume", "time")
    with pytest.raises(fathom.Refusal, match="lie in 2 partitions"):
        fathom.spark.size_fleet(cut, **words)


def test_blocks_hold_the_rows_of_a_sample_alone_and_a_volume_lies_in_one_part(two, days):
    frame = two.read.parquet(str(days))
    names = {row["volume"] for row in frame.select("volume").distinct().collect()}
    volume, table = fathom.spark._looked_at(frame.withColumn("note", frame["current"]), None, "per-row")
    assert "note" not in table.columns and "current" in table.columns

    def volumes(batches):
        import collections

        import pyarrow

        found = collections.Counter()
        for batch in batches:
            for cell in batch.column(1):
                found.update(pyarrow.ipc.open_stream(cell.as_buffer()).read_all()["volume"].to_pylist())
        yield pyarrow.RecordBatch.from_pydict({"volume": list(found), "rows": list(found.values())})

    blocks = fathom.spark._Blocks(table, 5, 1, {"columns": None, "values": "per-row"})
    rows = two.conf.get(fathom.spark._BATCH)
    try:
        counted = frame.groupBy(volume.alias("volume")).count().collect()
        of_part = blocks.frame.mapInArrow(volumes, "volume string, rows bigint").collect()
    finally:
        blocks.free()
        two.conf.unset(fathom.spark._BATCH)
    assert rows == fathom.spark.BATCH_BLOCKS
    found = {row["volume"]: row["rows"] for row in of_part}
    assert len(found) == len(of_part), "a volume lies in several partitions"
    assert found == {row["volume"]: row["count"] for row in counted if fathom.is_sampled(row["volume"] or "", 1)}
    assert 0.3 * len(names) < len(found) < 0.7 * len(names)


@pytest.mark.briefly
def test_another_version_on_the_executors_is_refused(two, days, monkeypatch):
    own = fathom.version()
    monkeypatch.setattr(fathom, "version", lambda: {**own, "fathom": "0.0.1"})
    with pytest.raises(fathom.Refusal, match="install one wheel"):
        fathom.spark.size_fleet(two.read.parquet(str(days)), region=REGION, values="per-row")


def test_one_executor_says_the_same(two, days, expected):
    two.stop()
    spark = session(1)
    try:
        assert answer(spark, days, 4) == expected
    finally:
        spark.stop()
