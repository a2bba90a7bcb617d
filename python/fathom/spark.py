"""A fleet judged where it lies, by Spark 3.5 and 4: every task judges the volumes of its partition.

    rows, summary = fathom.spark.size_fleet(spark.read.parquet("s3://lake/ebs"), region="eu-central-1", risk="10%")

Rows are divided among partitions by volume and sorted by volume and time within; a task reads its partition as a stream of
Arrow batches, so that it holds one volume at a time. The package has to be on the executors, in the driver's version.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
from typing import Any, Callable, Dict, Iterator, Optional, Sequence, Tuple

import fathom

__all__ = ["size_fleet"]

#: Rows of a partition.
PARTITION_ROWS = 4_000_000
#: Growths that a sample keeps at most.
SAMPLE = 8192

#: Rows that a task is handed at a time.
BATCH_ROWS = "65536"

_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"
_KEYS = ("volume", "time")
_USUAL = {
    "volume": ("volume", "volume_id", "volumeid", "device", "disk", "id"),
    "time": ("time", "timestamp", "ts", "unix_time", "datetime", "date", "epoch"),
}


def _columns_of(names: Any, columns: Any) -> Dict[str, str]:
    """Names of the columns of volume and time, found as the tables of the program are."""
    if columns is None:
        mapped: Dict[str, str] = {}
    elif isinstance(columns, str):
        pairs = (part.split("=", 1) for part in columns.split(",") if "=" in part)
        mapped = {meaning.strip(): name.strip() for meaning, name in pairs}
    else:
        mapped = dict(columns)
    known = {name.strip().lower(): name for name in names}
    found = {}
    for key in _KEYS:
        wanted = (mapped[key],) if key in mapped else _USUAL[key]
        hit = next((known[name.lower()] for name in wanted if name.lower() in known), None)
        if hit is None:
            raise fathom.Refusal(
                "the schema", f"no column for {key}", f"name it: columns={{'{key}': ...}}; it has {', '.join(names)}"
            )
        found[key] = hit
    return found


def _told(work: Callable[[], Any]) -> Any:
    """What tasks give; what one of them refuses is told in its own words, without Spark's and Python's traces."""
    try:
        return work()
    except fathom.Refusal:
        raise
    except Exception as error:
        words = re.search(r"^(?:.*\s)?fathom\.Refusal: (.*)$", str(error), re.MULTILINE)
        if words is None:
            raise
        raise fathom.Refusal("a task", words.group(1), "") from error


def _same_versions(spark: Any, partitions: int) -> None:
    """Refuses a job whose machines have different versions of the package, or none."""

    # Goes to the executors whole: what they have of this module may be of another version.
    def versions(batches: Iterator[Any]) -> Iterator[Any]:
        import json

        import pyarrow

        try:
            import fathom

            found = json.dumps(fathom.version(), sort_keys=True)
        except ImportError as error:
            found = f"none ({error})"
        for _ in batches:
            pass
        yield pyarrow.RecordBatch.from_pydict({"found": [found]})

    own = json.dumps(fathom.version(), sort_keys=True)
    frame = spark.range(0, partitions, 1, partitions).mapInArrow(versions, "found string")
    for row in frame.distinct().collect():
        if row["found"] != own:
            raise fathom.Refusal(
                "the executors",
                f"they have fathom {row['found']}, and the driver has {own}",
                "install one wheel on all machines",
            )


def _cores(spark: Any) -> int:
    try:
        return max(1, spark.sparkContext.defaultParallelism)
    except Exception:  # A session over Spark Connect knows nothing of cores.
        return max(1, int(spark.conf.get("spark.sql.shuffle.partitions", "200")) // 2)


def _reader(batches: Iterator[Any]) -> Optional[Any]:
    """A partition as one stream; None for one without rows."""
    import itertools

    import pyarrow

    first = next(batches, None)
    if first is None:
        return None
    return pyarrow.RecordBatchReader.from_batches(first.schema, itertools.chain([first], batches))


def _batches(stream: Any) -> Iterator[Any]:
    import pyarrow

    yield from pyarrow.RecordBatchReader.from_stream(stream)


def _growths(words: Dict[str, Any]) -> Any:
    def task(batches: Iterator[Any]) -> Iterator[Any]:
        import fathom

        reader = _reader(batches)
        if reader is not None:
            yield from _batches(fathom.growths(reader, **words))

    return task


def _judge(terms: "fathom.Terms", words: Dict[str, Any]) -> Any:
    def task(batches: Iterator[Any]) -> Iterator[Any]:
        import fathom

        reader = _reader(batches)
        if reader is not None:
            yield from _batches(fathom.judge(reader, terms=terms, **words))

    return task


def _tally(batches: Iterator[Any]) -> Iterator[Any]:
    import fathom
    import pyarrow

    reader = _reader(batches)
    if reader is not None:
        yield pyarrow.RecordBatch.from_pydict({"tally": [fathom.tally(reader)]})


GROWTHS = "volume string, rows bigint, hash bigint, growth bigint, rests_on string, horizon_s bigint"
VERDICTS = (
    "volume string, status string, reason string, tick_s bigint, ticks bigint, ticks_seen bigint, needs_iops bigint, "
    "needs_iops_least bigint, rests_on string, needs_bytes_per_s bigint, plateau_share double, offer string, "
    "offer_type string, offer_members bigint, offer_size_gib bigint, offer_iops bigint, offer_bytes_per_s bigint, "
    "offer_month double, offer_headroom double, offer_risk double, current string, current_month double, "
    "current_holds boolean, current_headroom double, current_risk double, saves_month double, notes array<string>, currency string"
)


def _growths_of(frame: Any, words: Dict[str, Any]) -> Any:
    """The growths of a table's volumes at the driver, but for those whose history says nothing."""
    import pyarrow

    found = _told(frame.mapInArrow(_growths(words), GROWTHS).where("growth is not null").collect)
    names = ("volume", "rows", "hash", "growth", "rests_on", "horizon_s")
    kinds = (pyarrow.string(), *[pyarrow.int64()] * 3, pyarrow.string(), pyarrow.int64())
    return pyarrow.table({name: pyarrow.array([row[name] for row in found], kind) for name, kind in zip(names, kinds)})


def _halvings(volumes: int) -> int:
    """How often the share of the volumes may be halved at once, so that more than a sample are surely left."""
    halvings = 0
    while volumes >> (halvings + 1) > 2 * SAMPLE:
        halvings += 1
    return halvings


def _sampled(df: Any, volume: Any, halvings: int) -> Any:
    """The rows of the volumes that are in the sample after so many halvings."""
    from pyspark.sql import functions

    def sampled(batches: Iterator[Any]) -> Iterator[Any]:
        import fathom

        def is_sampled(name: Any) -> bool:
            text = name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)
            return name is not None and fathom.is_sampled(text, halvings)

        for batch in batches:
            kept = [name for name in batch.column(0).to_pylist() if is_sampled(name)]
            yield batch.from_pydict({batch.schema.names[0]: kept}, schema=batch.schema)

    names = df.select(volume.alias("fathom_sampled")).distinct()
    kept = functions.broadcast(names.mapInArrow(sampled, names.schema))
    return df.join(kept, volume == functions.col("fathom_sampled"), "left_semi")


def _volume_in_two_partitions(verdicts: Any) -> None:
    """Refuses partitions that cut a volume: each would have judged its part of it."""
    for row in verdicts.groupBy("volume").count().where("count > 1").orderBy("volume").limit(1).collect():
        raise fathom.Refusal(
            "presorted",
            f"rows of {row['volume']!r} lie in {row['count']} partitions",
            "leave presorted out, or write the table so that no file and no row group cuts a volume",
        )


def size_fleet(
    df: Any,
    *,
    region: str,
    risk: Optional[str] = None,
    margin: Optional[float] = None,
    partitions: Optional[int] = None,
    presorted: bool = False,
    wait: Optional[str] = None,
    late: Optional[str] = None,
    columns: Any = None,
    values: Optional[str] = None,
    sources: Sequence[str] = (),
    **as_judge: Any,
) -> Tuple[Any, Dict[str, Any]]:
    """Judges every volume of a table; gives a DataFrame with a row each, and the fleet's summary.

    ``presorted`` says that no volume is in two partitions, and that each partition is sorted by volume and time: nothing
    is moved then. A volume that comes twice in a partition, or in two of them, is refused by name. ``sources`` are named
    in the summary. Other arguments are those of :func:`fathom.judge`. The rows are kept on the executors' disks:
    ``rows.unpersist()`` frees them.
    """
    from pyspark import StorageLevel
    from pyspark.sql import functions

    spark = df.sparkSession
    keys = _columns_of(df.columns, columns)
    volume, time = (functions.col("`" + keys[key].replace("`", "``") + "`") for key in _KEYS)
    cores = _cores(spark) if partitions is None else partitions
    _same_versions(spark, cores)
    counted = df.agg(functions.count(functions.lit(1)).alias("rows"), functions.approx_count_distinct(volume, 0.02).alias("volumes"))
    counted = counted.collect()[0]
    parts = partitions or max(2 * cores, -(-counted["rows"] // PARTITION_ROWS))
    halvings = _halvings(counted["volumes"])
    words = {"wait": wait, "late": late, "columns": columns, "values": values, "max_rows": as_judge.get("max_rows")}
    words["keep_going"] = as_judge.get("keep_going", False)
    if isinstance(as_judge.get("prices"), os.PathLike):
        # The executors have no such file.
        as_judge["prices"] = pathlib.Path(as_judge["prices"]).read_text(encoding="utf-8")

    def arrange(frame: Any) -> Any:
        return frame if presorted else frame.repartition(parts, volume).sortWithinPartitions(volume, time)

    before = spark.conf.get(_BATCH)
    spark.conf.set(_BATCH, BATCH_ROWS)
    table = kept = arrange(df)
    try:
        growths = None
        if halvings:
            sample = df if presorted else _sampled(df, volume, halvings)
            growths = _growths_of(arrange(sample), {**words, "halvings": halvings})
            # With more than a sample keeps, one machine has halved it as often and once more: the same names are left.
            growths = growths if len(growths) > SAMPLE else None
        if growths is None:
            # Read twice, moved once.
            kept = table if presorted else table.persist(StorageLevel.DISK_ONLY)
            growths = _growths_of(kept, words)
        terms = fathom.margin(growths, risk=risk, margin=margin)
        judged = _judge(terms, {"region": region, **words, **as_judge})
        verdicts = kept.mapInArrow(judged, VERDICTS).persist(StorageLevel.DISK_ONLY)
        try:
            tallies = [row["tally"] for row in _told(verdicts.mapInArrow(_tally, "tally string").collect)]
            if presorted:
                _volume_in_two_partitions(verdicts)
        except Exception:
            verdicts.unpersist()
            raise
    finally:
        spark.conf.set(_BATCH, before)
        if not presorted:
            kept.unpersist()
    of_summary = {key: as_judge[key] for key in ("stripes", "types", "latency", "boot", "prices") if key in as_judge}
    summary = fathom.summarise(
        tallies, terms=terms, region=region, wait=wait, late=late, rows_read=counted["rows"], sources=sources, **of_summary
    )
    return verdicts, summary
