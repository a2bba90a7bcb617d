"""A fleet judged where it lies, by Spark 3.5 and 4: every task judges the volumes of its partition.

    rows, summary = fathom.spark.size_fleet(spark.read.parquet("s3://lake/ebs"), region="eu-central-1", risk="10%")

Rows travel in blocks: a task puts those that it reads together by the part of the fleet that their volume belongs to, and
Spark moves, keeps and hands back a block as one cell, so that it does its own work for each row once. A task holds the
rows of its part, and sorts them by volume and time. The package has to be on the executors, in the driver's version.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import fathom

__all__ = ["size_fleet"]

#: Rows of a partition: some 100 MB where it is judged.
PARTITION_ROWS = 1_000_000
#: Rows of a partition at most, however few are asked for.
MOST_ROWS = 20_000_000
#: Growths that a sample keeps at most.
SAMPLE = 8192

#: Rows that a task is handed at a time.
BATCH_ROWS = "65536"
#: Rows that are divided at a time, and most rows of a block.
DIVIDED_ROWS, BLOCK_ROWS = 1 << 19, 1 << 15
#: Blocks that a task is handed at a time: some 50 MB.
BATCH_BLOCKS = "32"
BLOCKS = "part int, rows binary"

_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"


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


def _arranged(table: Any, question: str, parts: int) -> Tuple[Any, Sequence[int]]:
    """A table's rows put together by part, volume and time, and the rows of each part."""
    import fathom
    import pyarrow

    order, counts = fathom._fathom.arrange(table, question, parts)
    order = pyarrow.RecordBatchReader.from_stream(order).read_all().column(0)
    # Of one piece it is taken in half the time.
    return table.take(order.combine_chunks()), counts


def _whole(batches: List[Any]) -> Any:
    """Batches as one table of one piece; they are taken out of the list, so that nothing is held twice."""
    import pyarrow

    table = pyarrow.Table.from_batches(batches)
    batches.clear()
    # Two GB of words in a column of one piece have no place in 32 bits.
    wide = {pyarrow.string(): pyarrow.large_string(), pyarrow.binary(): pyarrow.large_binary()}
    fields = [field.with_type(wide.get(field.type, field.type)) for field in table.schema]
    return table.cast(pyarrow.schema(fields)).combine_chunks()


def _tables(batches: Iterator[Any]) -> Iterator[Any]:
    """A partition as tables of some length."""
    held: List[Any] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows >= DIVIDED_ROWS:
            yield _whole(held)
            rows = 0
    if rows:
        yield _whole(held)


def _block(rows: Any) -> bytes:
    import pyarrow

    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return sink.getvalue().to_pybytes()


def _divided(question: str, keys: Sequence[int]) -> Any:
    """Rows to blocks, each with the key of its part."""

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        schema = pyarrow.schema([("part", pyarrow.int32()), ("rows", pyarrow.binary())])
        for table in _tables(batches):
            rows, counts = _arranged(table, question, len(keys))
            start = 0
            for key, count in zip(keys, counts):
                for at in range(start, start + count, BLOCK_ROWS):
                    block = _block(rows.slice(at, min(BLOCK_ROWS, start + count - at)))
                    yield pyarrow.RecordBatch.from_pydict({"part": [key], "rows": [block]}, schema=schema)
                start += count

    return task


def _collected(question: str) -> Callable[[Iterator[Any]], Optional[Any]]:
    """Blocks to one stream of their rows, put together; None without any."""

    def reader(batches: Iterator[Any]) -> Optional[Any]:
        import pyarrow

        blocks = (cell.as_buffer() for batch in batches for cell in batch.column(1))
        held = [rows for block in blocks for rows in pyarrow.ipc.open_stream(block)]
        return _arranged(_whole(held), question, 1)[0].to_reader(int(BATCH_ROWS)) if held else None

    return reader


def _batches(stream: Any) -> Iterator[Any]:
    import pyarrow

    yield from pyarrow.RecordBatchReader.from_stream(stream)


def _growths(read: Any, words: Dict[str, Any]) -> Any:
    def task(batches: Iterator[Any]) -> Iterator[Any]:
        import fathom

        reader = read(batches)
        if reader is not None:
            yield from _batches(fathom.growths(reader, **words))

    return task


def _judge(read: Any, terms: "fathom.Terms", words: Dict[str, Any]) -> Any:
    def task(batches: Iterator[Any]) -> Iterator[Any]:
        import fathom

        reader = read(batches)
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


def _growths_of(frame: Any, read: Any, words: Dict[str, Any]) -> Any:
    """The growths of a table's volumes at the driver, but for those whose history says nothing."""
    import pyarrow

    found = _told(frame.mapInArrow(_growths(read, words), GROWTHS).where("growth is not null").collect)
    names = ("volume", "rows", "hash", "growth", "rests_on", "horizon_s")
    kinds = (pyarrow.string(), *[pyarrow.int64()] * 3, pyarrow.string(), pyarrow.int64())
    return pyarrow.table({name: pyarrow.array([row[name] for row in found], kind) for name, kind in zip(names, kinds)})


def _halvings(volumes: int) -> int:
    """How often the share of the volumes may be halved at once, so that more than a sample are surely left."""
    halvings = 0
    while volumes >> (halvings + 1) > 2 * SAMPLE:
        halvings += 1
    return halvings


def _keys(spark: Any, parts: int) -> Sequence[int]:
    """A number for each part that Spark's own hash puts into a partition of its own."""
    found = {}
    numbers = spark.range(0, 16 * parts, 1, 1).selectExpr("int(id) as key", f"pmod(hash(int(id)), {parts}) as part")
    for row in numbers.collect():
        found.setdefault(row["part"], row["key"])
    return [found.get(part, part) for part in range(parts)]


def _parts(rows: int, cores: int, asked: Optional[int]) -> int:
    """Parts for so many rows: as asked, and so many that a task can hold one."""
    parts = asked or max(2 * cores, -(-rows // PARTITION_ROWS))
    return max(parts, -(-rows // MOST_ROWS))


class _Blocks:
    """The rows of some volumes in blocks on the executors' disks, a part of the fleet a partition."""

    def __init__(self, df: Any, parts: int, halvings: int, words: Dict[str, Any]) -> None:
        from pyspark import StorageLevel

        spark, known = df.sparkSession, {key: words[key] for key in ("columns", "values")}
        self.read = _collected(fathom._question(**known))
        question = fathom._question(**known, halvings=halvings)
        divided = df.mapInArrow(_divided(question, _keys(spark, parts)), BLOCKS)
        # Some versions of Spark take it from where a frame is persisted, and others from where it is carried out.
        spark.conf.set(_BATCH, BATCH_ROWS)
        self.frame = divided.repartition(parts, "part").persist(StorageLevel.DISK_ONLY)
        try:
            # All that comes row by row is read here; what reads blocks is handed few at a time.
            _told(self.frame.count)
        except BaseException:
            self.free()
            raise
        spark.conf.set(_BATCH, BATCH_BLOCKS)

    def free(self) -> None:
        self.frame.unpersist()


class _Presorted:
    """A table that is read where it lies."""

    read = staticmethod(_reader)

    def __init__(self, df: Any) -> None:
        self.frame = df
        df.sparkSession.conf.set(_BATCH, BATCH_ROWS)

    def free(self) -> None:
        pass


def _looked_at(df: Any, columns: Any, values: Optional[str]) -> Tuple[Any, Any]:
    """A table's column of volumes, and the table of the columns that are looked at: no other is read or moved."""
    from pyspark.sql import functions

    def quoted(name: str) -> Any:
        return functions.col("`" + name.replace("`", "``") + "`")

    volume, names = fathom._fathom.columns(df.columns, fathom._question(columns=columns, values=values))
    return quoted(volume), df.select(*map(quoted, names))


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
    volume, table = _looked_at(df, columns, values)
    cores = _cores(spark) if partitions is None else partitions
    _same_versions(spark, cores)
    volumes = functions.approx_count_distinct(volume, 0.02)
    counted = table.agg(functions.count(functions.lit(1)).alias("rows"), volumes.alias("volumes")).collect()[0]
    halvings = _halvings(counted["volumes"])
    words = {"wait": wait, "late": late, "columns": columns, "values": values, "max_rows": as_judge.get("max_rows")}
    words["keep_going"] = as_judge.get("keep_going", False)
    if isinstance(as_judge.get("prices"), os.PathLike):
        # The executors have no such file.
        as_judge["prices"] = pathlib.Path(as_judge["prices"]).read_text(encoding="utf-8")

    def laid(halvings: int) -> Any:
        parts = _parts(counted["rows"] >> halvings, cores, partitions)
        return _Presorted(table) if presorted else _Blocks(table, parts, halvings, words)

    before, kept = spark.conf.get(_BATCH), None
    try:
        kept = laid(halvings)
        growths = _growths_of(kept.frame, kept.read, {**words, "halvings": halvings})
        if halvings:
            # With more than a sample keeps, one machine has halved it as often and once more: the same names are left.
            is_enough = len(growths) > SAMPLE
            kept.free()
            kept = laid(0)
            growths = growths if is_enough else _growths_of(kept.frame, kept.read, words)
        terms = fathom.margin(growths, risk=risk, margin=margin)
        judged = _judge(kept.read, terms, {"region": region, **words, **as_judge})
        verdicts = kept.frame.mapInArrow(judged, VERDICTS).persist(StorageLevel.DISK_ONLY)
        try:
            tallies = [row["tally"] for row in _told(verdicts.mapInArrow(_tally, "tally string").collect)]
            if presorted:
                _volume_in_two_partitions(verdicts)
        except BaseException:
            verdicts.unpersist()
            raise
    finally:
        if kept is not None:
            kept.free()
        spark.conf.set(_BATCH, before)
    of_summary = {key: as_judge[key] for key in ("stripes", "types", "latency", "boot", "prices") if key in as_judge}
    summary = fathom.summarise(
        tallies, terms=terms, region=region, wait=wait, late=late, rows_read=counted["rows"], sources=sources, **of_summary
    )
    return verdicts, summary
