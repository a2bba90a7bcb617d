"""The order that puts a table's rows together, against a sort in Python's own words."""

import random

import fathom
import fathom.spark
import pyarrow
import pytest

START_S = 1_793_491_200


def _table(rows, drawn, names):
    volumes = [drawn.choice(names) for _ in range(rows)]
    times = [None if drawn.random() < 0.02 else START_S + drawn.randrange(50) for _ in range(rows)]
    numbers = list(range(rows))
    columns = {"volume": pyarrow.array(volumes, pyarrow.string()), "time": pyarrow.array(times, pyarrow.int64())}
    columns.update({name: pyarrow.array(numbers, pyarrow.int64()) for name in ("reads", "writes", "read_bytes", "write_bytes")})
    return pyarrow.table(columns)


def _arranged(table, parts, halvings=0):
    question = fathom._question(values="per-row", halvings=halvings)
    order, counts = fathom._fathom.arrange(table, question, parts)
    return pyarrow.RecordBatchReader.from_stream(order).read_all()["row"].to_pylist(), counts


def _key(row):
    """Rows without a name are one volume's; those without a time come first."""
    return (row["volume"] or "").encode(), -1 if row["time"] is None else row["time"]


@pytest.mark.parametrize("kind", [pyarrow.string(), pyarrow.large_string(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string())])
@pytest.mark.parametrize("seed", range(4))
def test_rows_lie_by_part_volume_and_time_and_none_is_lost(kind, seed):
    drawn = random.Random(seed)
    names = [None, "", "é", *(f"vol-{number}" for number in range(drawn.choice([1, 7, 300])))]
    table = _table(drawn.choice([1, 100, 5000]), drawn, names)
    rows = table.to_pylist()
    parts = drawn.choice([1, 3, 16])
    # In batches of odd lengths, as engines hand them over.
    cut = pyarrow.Table.from_batches(table.to_batches(max_chunksize=777))
    order, counts = _arranged(cut.set_column(0, "volume", cut["volume"].cast(kind)), parts)
    assert sorted(order) == list(range(len(rows))), "a row is lost or comes twice"
    assert len(counts) == parts and sum(counts) == len(rows)
    seen, start = set(), 0
    for count in counts:
        part = order[start : start + count]
        # Python's sort keeps rows of one key as they came.
        assert part == sorted(sorted(part), key=lambda row: _key(rows[row]))
        volumes = {_key(rows[row])[0] for row in part}
        assert not seen & volumes, "a volume lies in two parts"
        seen |= volumes
        start += count


def test_a_volume_lies_in_the_same_part_whoever_divides_and_a_sample_leaves_the_others_out():
    drawn = random.Random(9)
    names = [f"vol-{number}" for number in range(200)]
    one, other = (_table(3000, drawn, names) for _ in range(2))
    found = []
    for table in (one, other):
        order, counts = _arranged(table, 8, halvings=1)
        volumes = table["volume"].to_pylist()
        starts = [sum(counts[:part]) for part in range(len(counts) + 1)]
        found.append({volumes[row]: part for part in range(8) for row in order[starts[part] : starts[part + 1]]})
    assert found[0] == found[1]
    assert set(found[0]) == {name for name in names if fathom.is_sampled(name, 1)}
    assert len(set(found[0].values())) > 4


def test_what_is_arranged_is_judged_as_what_was_sorted(table):
    shuffled = table.take(random.Random(3).sample(range(table.num_rows), table.num_rows))
    order, _ = _arranged(shuffled, 1)
    words = {"region": "us-east-1", "values": "per-row", "terms": fathom.margin(fathom.growths(table, values="per-row"))}

    def judged(rows):
        return pyarrow.RecordBatchReader.from_stream(fathom.judge(rows, **words)).read_all().to_pylist()

    by_name = {row["volume"]: row for row in judged(table)}
    assert {row["volume"]: row for row in judged(shuffled.take(order))} == by_name


def test_blocks_hold_every_row_once_and_come_back_put_together():
    drawn = random.Random(4)
    table = _table(100_000, drawn, [None, *(f"vol-{number}" for number in range(90))])
    question = fathom._question(values="per-row")
    blocks = list(fathom.spark._divided(question, [70, 71, 72])(iter(table.to_batches(max_chunksize=999))))
    assert {block["part"][0].as_py() for block in blocks} == {70, 71, 72}
    found = []
    for key in (70, 71, 72):
        rows = fathom.spark._collected(question)(block for block in blocks if block["part"][0].as_py() == key).read_all()
        # In one piece, words of more than 2 GB have no place in 32 bits.
        assert rows.schema.field("volume").type == pyarrow.large_string()
        found += rows.to_pylist()
        assert rows.to_pylist() == sorted(rows.to_pylist(), key=_key)
    assert sorted(row["reads"] for row in found) == list(range(table.num_rows))
    assert sorted(found, key=lambda row: row["reads"]) == table.to_pylist()
    assert fathom.spark._collected(question)(iter([])) is None


def test_a_part_is_as_large_as_a_task_can_hold_whatever_is_asked():
    parts = fathom.spark._parts
    assert [parts(0, 2, None), parts(8_060_001, 2, None), parts(8_060_001, 2, 3)] == [4, 9, 3]
    assert parts(1_000_000_000, 8, 8) == 50


def test_columns_that_are_looked_at_are_named_and_one_that_is_missing_is_refused():
    names = ["note", "disk", "time", "reads", "writes", "read_bytes", "write_bytes", "size", "tag:team"]
    found = fathom._fathom.columns(names, fathom._question(values="per-row"))
    assert found == ("disk", ["disk", "time", "reads", "writes", "read_bytes", "write_bytes", "size"])
    with pytest.raises(fathom.Refusal, match="no column names the volume"):
        fathom._fathom.columns(names[2:], fathom._question(values="per-row"))
    with pytest.raises(fathom.Refusal, match="Boolean values, and a number is needed|Boolean values, and a time"):
        wrong = pyarrow.table({"volume": ["a"], "time": [True], "reads": [1], "writes": [1], "read_bytes": [1], "write_bytes": [1]})
        fathom._fathom.arrange(wrong, fathom._question(values="per-row"), 1)
