"""One lake with every fault gives one answer: the program's, whatever engine hands over the columns."""

import concurrent.futures
import random

import fathom
import lake
import pyarrow
import pyarrow.compute
import pytest
from conftest import REGION, program_digest

WORDS = {"values": "per-row"}


def judged(table, **words):
    terms = fathom.margin(fathom.growths(table, **WORDS), risk="10%")
    rows = fathom.judge(table, terms=terms, region=REGION, **WORDS, **words)
    return pyarrow.table(rows), fathom.summarise(rows, terms=terms, region=REGION)


def test_the_lake_has_every_kind_of_answer(table):
    rows, summary = judged(table)
    found = {row["volume"]: row for row in rows.to_pylist()}
    statuses = {row["status"] for row in found.values()}
    assert statuses == {"sized", "throttled", "not_judged"}
    for name, told in {
        "two-disks": "contradict each other",
        "sectors": "no disk has I/Os of such sizes",
        "no-size": "its size is not known",
        "size-in-bytes": "a size that no volume has",
        "wrong-size": "its size is not a number",
        "unknown-instance": "no instance type z9.huge",
        "unknown-type": "no gp9",
        "many-nan": "a row makes no sense: row of 2026-11-01T00:00:00Z, reads below zero",
        "idle": "no I/O was seen",
        "short": "one point in time",
        "": "name no volume",
    }.items():
        assert told in found[name]["reason"], (name, found[name]["reason"])
    for name, told in {
        "gaps-é": "ticks of 300 s are missing",
        "repeats": "10 rows repeated a time",
        "contradictions": "10 times have rows that contradict",
        "some-wrong-sizes": "have a size that is not a number",
        "resized": "Its size changed",
        "retyped": "Its type or settings changed",
        "moved": "Its instance changed",
        "nan": "2 rows were left out",
        "negative": "row of 2026-11-01T00:25:00Z, writes below zero",
        "infinite": "bytes read below zero or none",
        "nulls": "29 rows have an empty cell",
        "no-time": "1 rows have an empty cell",
        "no-ios": "2 rows carry bytes and no I/Os",
    }.items():
        assert told in " ".join(found[name]["notes"] or []), (name, found[name]["notes"])
    assert found["throttled"]["status"] == "throttled"
    assert found["size-of-today"]["offer_size_gib"] >= 300
    assert summary["volumes"] == len(found) and summary["terms"]["margin_volumes"] > 60


def test_the_wheel_says_what_the_program_says(table, expected):
    assert lake.digest(*judged(table)) == expected


def test_the_program_says_the_same_of_files_by_day(program, days, expected, tmp_path):
    assert program_digest(program, days, tmp_path) == expected


def test_batches_of_any_length_are_one_stream(table, expected):
    assert lake.digest(*judged(pyarrow.Table.from_batches(table.to_batches(max_chunksize=997)))) == expected


def test_attempts_at_once_and_after_each_other_say_the_same(table, expected):
    # As an engine has it that runs a slow task a second time beside the first, or once more after it.
    with concurrent.futures.ThreadPoolExecutor(3) as attempts:
        at_once = [attempts.submit(judged, table) for _ in range(3)]
        assert {lake.digest(*attempt.result()) for attempt in at_once} == {expected}
    assert lake.digest(*judged(table)) == expected


def test_times_in_any_order_change_nothing_but_a_note(table):
    drawn = random.Random(7)
    names = table["volume"].to_pylist()
    starts = [at for at, name in enumerate(names) if at == 0 or name != names[at - 1]]
    order = []
    for start, end in zip(starts, [*starts[1:], len(names)]):
        order += drawn.sample(range(start, end), end - start)
    (rows, summary), (mixed, of_mixed) = judged(table), judged(table.take(order))
    notes = [" ".join(notes or []) for notes in mixed["notes"].to_pylist()]
    assert sum("were earlier than the row before them" in words for words in notes) > 60
    assert mixed.drop_columns(["notes"]) == rows.drop_columns(["notes"])
    assert of_mixed["money"] == summary["money"] and of_mixed["terms"] == summary["terms"]


@pytest.mark.parametrize("parts", [1, 3, 8, 64])
def test_partitions_in_any_order_merge_to_the_whole(table, expected, parts):
    drawn = random.Random(parts)
    of = {name: drawn.randrange(parts) for name in sorted(set(table["volume"].to_pylist()), key=str)}
    place = pyarrow.array([of[name] for name in table["volume"].to_pylist()])
    cut = [table.filter(pyarrow.compute.equal(place, part)) for part in range(parts)]
    drawn.shuffle(cut)
    growths = pyarrow.concat_tables([pyarrow.table(fathom.growths(part, **WORDS)) for part in cut])
    terms = fathom.margin(growths, risk="10%")
    drawn.shuffle(cut)
    rows = [pyarrow.table(fathom.judge(part, terms=terms, region=REGION, **WORDS)) for part in cut]
    tallies = [fathom.tally(part) for part in rows]
    drawn.shuffle(tallies)
    summary = fathom.summarise(tallies, terms=terms, region=REGION)
    assert lake.digest(pyarrow.concat_tables(rows), summary) == expected


def test_polars_hands_over_views(folder, expected):
    polars = pytest.importorskip("polars")
    import polars_fleet

    rows, summary = polars_fleet.judge(str(folder / "*.parquet"), REGION, **WORDS)
    assert isinstance(rows, polars.DataFrame)
    assert lake.digest(rows.to_arrow(), summary) == expected


def test_duckdb_sorts_files_by_day(days, expected):
    pytest.importorskip("duckdb")
    import duckdb_fleet

    assert lake.digest(*duckdb_fleet.judge(str(days / "*.parquet"), REGION, **WORDS)) == expected


def test_pandas_keeps_arrow_s_types(folder, expected):
    pandas = pytest.importorskip("pandas")
    import pandas_fleet

    rows, summary = pandas_fleet.judge(str(folder), REGION, **WORDS)
    assert isinstance(rows, pandas.DataFrame)
    assert lake.digest(pyarrow.Table.from_pandas(rows, preserve_index=False), summary) == expected


def test_dask_moves_rows_by_volume(days, expected):
    pytest.importorskip("dask", reason="no Dask of pip to run its example with")
    import dask_fleet

    assert lake.digest(*dask_fleet.judge(str(days), REGION, **WORDS)) == expected


def test_ray_sorts_each_block_by_itself(days, expected):
    ray = pytest.importorskip("ray", reason="no Ray of pip to run its example with: a package of 70 MB that no other test needs")
    import ray_fleet

    ray.init(num_cpus=2, object_store_memory=200 << 20, include_dashboard=False, log_to_driver=False)
    try:
        assert lake.digest(*ray_fleet.judge(str(days), REGION, 4, **WORDS)) == expected
    finally:
        ray.shutdown()
