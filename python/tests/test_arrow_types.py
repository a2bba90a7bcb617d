"""Columns of every Arrow type mean the same, and what cannot be used is refused in the program's words."""

import datetime
import decimal
import pickle
import signal

import fathom
import pyarrow
import pytest
from conftest import REGION

START_S = 1_793_491_200
ROWS = 40


def plain(name="a", /, rows=ROWS, **changed):
    """Minutes of one volume."""
    columns = {
        "volume": pyarrow.array([name] * rows, pyarrow.string()),
        "time": pyarrow.array([START_S + 60 * row for row in range(rows)], pyarrow.int64()),
        "reads": pyarrow.array([6000 + row % 7 for row in range(rows)], pyarrow.int64()),
        "writes": pyarrow.array([3000] * rows, pyarrow.int64()),
        "read_bytes": pyarrow.array([(6000 + row % 7) * 16384 for row in range(rows)], pyarrow.int64()),
        "write_bytes": pyarrow.array([3000 * 8192] * rows, pyarrow.int64()),
        "size": pyarrow.array([100] * rows, pyarrow.int64()),
        "current": pyarrow.array(["gp3:iops=6000"] * rows, pyarrow.string()),
    }
    columns.update(changed)
    return pyarrow.table(columns)


def terms_of(table):
    return fathom.margin(fathom.growths(table, values="per-row"), risk="10%")


def rows(table, **words):
    words = {"region": REGION, "values": "per-row", **words}
    return pyarrow.table(fathom.judge(table, terms=terms_of(table), **words)).to_pylist()


TEXTS = [
    pyarrow.large_string(),
    pyarrow.string_view(),
    pyarrow.binary(),
    pyarrow.large_binary(),
    pyarrow.binary_view(),
    pyarrow.dictionary(pyarrow.int8(), pyarrow.string()),
    pyarrow.dictionary(pyarrow.uint32(), pyarrow.large_string()),
]


@pytest.mark.parametrize("kind", TEXTS, ids=str)
def test_names_of_every_type_of_words(kind):
    for column in ("volume", "current"):
        table = plain()
        text = table[column]
        if pyarrow.types.is_dictionary(kind):
            keyed = text.combine_chunks().dictionary_encode()
            keys, words = keyed.indices.cast(kind.index_type), keyed.dictionary.cast(kind.value_type)
            text = pyarrow.DictionaryArray.from_arrays(keys, words)
        else:
            text = text.cast(kind)
        table = table.set_column(table.schema.get_field_index(column), column, text)
        assert rows(table) == rows(plain()), column


NUMBERS = [
    pyarrow.int16(),
    pyarrow.int32(),
    pyarrow.uint16(),
    pyarrow.uint32(),
    pyarrow.uint64(),
    pyarrow.float32(),
    pyarrow.float64(),
    pyarrow.decimal128(18, 2),
    pyarrow.decimal128(9, 0),
    pyarrow.string(),
    pyarrow.string_view(),
    pyarrow.dictionary(pyarrow.int32(), pyarrow.int64()),
    pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
]


def cast(column, kind):
    column = column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column
    if pyarrow.types.is_dictionary(kind):
        return column.cast(kind.value_type).dictionary_encode()
    if pyarrow.types.is_decimal(kind):
        return pyarrow.array([decimal.Decimal(value) for value in column.to_pylist()], kind)
    if kind == pyarrow.string_view():
        return column.cast(pyarrow.string()).cast(kind)
    return column.cast(kind)


@pytest.mark.parametrize("kind", NUMBERS, ids=str)
def test_counts_and_sizes_of_every_type_of_numbers(kind):
    table = plain()
    changed = {name: cast(table[name], kind) for name in ("reads", "writes", "size")}
    assert rows(plain(**changed)) == rows(plain())


@pytest.mark.parametrize("kind", ["decimal32", "decimal64"])
def test_short_decimals(kind):
    make = getattr(pyarrow, kind, None)
    if make is None:
        pytest.skip(f"this pyarrow has no {kind}")
    assert rows(plain(reads=cast(plain()["reads"], make(8, 1)))) == rows(plain())


def stamps(unit, zone=None):
    parts = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}[unit]
    return pyarrow.array([(START_S + 60 * row) * parts for row in range(ROWS)], pyarrow.timestamp(unit, zone))


TIMES = {
    **{unit: stamps(unit) for unit in ("s", "ms", "us", "ns")},
    "with a zone": stamps("us", "America/New_York"),
    "floats": pyarrow.array([float(START_S + 60 * row) for row in range(ROWS)]),
    "milliseconds": pyarrow.array([(START_S + 60 * row) * 1000 for row in range(ROWS)], pyarrow.int64()),
    "words": pyarrow.array(
        [f"{datetime.datetime.fromtimestamp(START_S + 60 * row, datetime.timezone.utc):%Y-%m-%dT%H:%M:%SZ}" for row in range(ROWS)]
    ),
    "a dictionary": stamps("ms").dictionary_encode(),
}


@pytest.mark.parametrize("kind", TIMES)
def test_times_of_every_type(kind):
    assert rows(plain(time=TIMES[kind])) == rows(plain())


@pytest.mark.parametrize("kind, days", [(pyarrow.date32(), 1), (pyarrow.date64(), 86_400_000)])
def test_days(kind, days):
    values = [(START_S // 86_400 + row) * days for row in range(ROWS)]
    physical = pyarrow.int32() if days == 1 else pyarrow.int64()
    found = rows(plain(time=pyarrow.array(values, physical).cast(kind)))
    assert (found[0]["tick_s"], found[0]["ticks"]) == (86_400, ROWS)


def test_nulls_are_empty_cells_and_a_column_of_nulls_says_nothing():
    gone = [None if row % 10 == 3 else 6000 for row in range(ROWS)]
    found = rows(plain(reads=pyarrow.array(gone, pyarrow.int64())))
    assert "4 rows have an empty cell" in " ".join(found[0]["notes"])
    keyed = pyarrow.array(gone, pyarrow.int64()).dictionary_encode()
    assert rows(plain(reads=keyed)) == found
    nothing = pyarrow.nulls(ROWS)
    assert rows(plain(current=nothing))[0]["current"] is None
    assert rows(plain(current=nothing, size=nothing), size="100GiB")[0]["status"] == "sized"
    assert rows(plain(reads=nothing))[0]["status"] == "not_judged"


def test_names_may_be_numbers_and_keys_may_lead_nowhere():
    numbers = pyarrow.array([17] * ROWS, pyarrow.int32())
    assert rows(plain(volume=numbers)) == rows(plain("17"))
    assert rows(plain(volume=numbers.dictionary_encode())) == rows(plain("17"))
    # A key may lead to a null, whose bytes mean nothing.
    values = pyarrow.array(["gp3:iops=6000", None])
    keys = pyarrow.array([1] * (ROWS // 2) + [0] * (ROWS // 2), pyarrow.int8())
    keyed = pyarrow.DictionaryArray.from_arrays(keys, values)
    assert rows(plain(current=keyed)) == rows(plain())
    nameless = pyarrow.DictionaryArray.from_arrays(pyarrow.array([1] * ROWS, pyarrow.int8()), values)
    assert rows(plain(volume=nameless))[0]["reason"] == "its rows name no volume"
    empty = pyarrow.DictionaryArray.from_arrays(pyarrow.nulls(ROWS, pyarrow.int8()), pyarrow.array([], pyarrow.string()))
    assert rows(plain(current=empty))[0]["current"] is None


def test_names_that_are_no_text_are_one_volume_however_long():
    many = 9000
    column = {name: pyarrow.array([6000] * many, pyarrow.int64()) for name in ("reads", "writes")}
    column.update({f"{way}_bytes": pyarrow.array([6000 * 8192] * many, pyarrow.int64()) for way in ("read", "write")})
    column["time"] = pyarrow.array([START_S + 60 * row for row in range(many)], pyarrow.int64())
    column["size"] = pyarrow.array([100] * many, pyarrow.int64())
    column["current"] = pyarrow.array(["gp3"] * many)
    found = rows(plain(rows=many, volume=pyarrow.array([b"\xff\x00vol"] * many, pyarrow.binary()), **column))
    assert [(row["volume"], row["ticks"], row["status"]) for row in found] == [("\\xff\\x00vol", many, "sized")]
    few = rows(plain(rows=many, volume=pyarrow.array([b"\xff"] * many, pyarrow.binary()), **column), max_rows=many - 1)
    assert few[0]["status"] == "not_judged"


def test_a_volume_with_too_many_rows_is_not_judged_and_says_so():
    table = pyarrow.concat_tables([plain("a", rows=9), plain("b"), plain("c", rows=9)])
    found = rows(table, max_rows=ROWS - 1)
    assert [row["volume"] for row in found] == ["a", "b", "c"]
    assert found[1]["reason"] == f"it has more rows than one volume may have here: {ROWS}, where max_rows is {ROWS - 1}"
    assert rows(table, max_rows=ROWS) == rows(table) and rows(table)[1]["status"] == "sized"
    growths = pyarrow.table(fathom.growths(table, values="per-row", max_rows=ROWS - 1)).to_pylist()
    assert [row["rows"] for row in growths] == [9, ROWS, 9]


def test_slices_are_read_from_where_they_begin():
    whole = pyarrow.concat_tables([plain("a"), plain("b"), plain("c")]).combine_chunks()
    found = rows(whole.slice(ROWS, ROWS))
    assert found == rows(plain("b"))


def test_whole_rows_at_once_and_one_by_one_are_the_same():
    # One row that makes no sense takes its batch off the quick way.
    days = 3000
    table = plain(rows=days, **{
        "time": pyarrow.array([START_S + 300 * row for row in range(days)], pyarrow.int64()),
        "size": pyarrow.array([100 + row // 1000 for row in range(days)], pyarrow.int64()),
    })
    quick = rows(table)[0]
    bad = plain("b")
    bad = bad.set_column(2, "reads", pyarrow.array([float("nan")] + [1.0] * (ROWS - 1)))
    table = table.set_column(2, "reads", table["reads"].cast(pyarrow.float64()))
    slow = rows(pyarrow.concat_tables([table, bad]).combine_chunks())[0]
    assert quick == slow and "Its size changed" in quick["notes"][0]


def refusal(table, **words):
    with pytest.raises(fathom.Refusal) as refused:
        rows(table, **words)
    return refused.value


def no_numbers():
    """A column of every type of Arrow that no count has."""
    keys, ends = pyarrow.array([1] * ROWS), pyarrow.array([ROWS], pyarrow.int32())
    some = [60 * row for row in range(ROWS)]
    seconds = pyarrow.array(some, pyarrow.int32()).cast(pyarrow.time32("s"))
    yield from (seconds, seconds.cast(pyarrow.time64("us")), pyarrow.array(some, pyarrow.duration("s")))
    yield from (pyarrow.array(some, pyarrow.int32()).cast(pyarrow.date32()), stamps("ns", "UTC"))
    yield from (pyarrow.array([[1]] * ROWS, kind) for kind in (pyarrow.list_(pyarrow.int64()), pyarrow.large_list(pyarrow.int64())))
    yield pyarrow.array([[1, 2]] * ROWS, pyarrow.list_(pyarrow.int64(), 2))
    yield pyarrow.array([{"a": 1}] * ROWS)
    yield pyarrow.array([[("a", 1)]] * ROWS, pyarrow.map_(pyarrow.string(), pyarrow.int64()))
    yield pyarrow.array([b"12345678"] * ROWS, pyarrow.binary(8))
    yield pyarrow.array([decimal.Decimal(5)] * ROWS, pyarrow.decimal256(40, 0))
    yield pyarrow.array([pyarrow.MonthDayNano([1, 2, 3])] * ROWS)
    yield pyarrow.UnionArray.from_sparse(pyarrow.array([0] * ROWS, pyarrow.int8()), [keys])
    yield pyarrow.RunEndEncodedArray.from_arrays(ends, pyarrow.array([6000]))


def test_what_makes_no_sense_is_refused_with_place_cause_and_remedy():
    apart = refusal(pyarrow.concat_tables([plain("a"), plain("b"), plain("a")]))
    assert apart.place == "the stream" and '"a" lie apart' in apart.cause and "sort" in apart.remedy
    missing = refusal(plain().drop_columns(["reads"]))
    assert missing.place == "the header" and "no column for reads" in missing.cause
    flags = refusal(plain(reads=pyarrow.array([True] * ROWS)))
    assert flags.place == "the schema" and "reads holds Boolean" in flags.cause
    long = pyarrow.array([decimal.Decimal(5)] * ROWS, pyarrow.decimal128(38, 0))
    assert "a number is needed" in refusal(plain(reads=long)).cause
    hours = pyarrow.array([60 * row for row in range(ROWS)], pyarrow.int32()).cast(pyarrow.time32("s"))
    assert "a time is needed" in refusal(plain(time=hours)).cause
    assert "a number is needed" in refusal(plain(reads=stamps("us"))).cause
    for column in no_numbers():
        told = refusal(plain(reads=column)).cause
        assert "its column reads holds" in told and "a number is needed" in told, column.type
    for column in (pyarrow.array([[1]] * ROWS), pyarrow.array([decimal.Decimal(1)] * ROWS)):
        assert "a name is needed" in refusal(plain(volume=column)).cause, column.type
    assert "several of its columns are called reads" in refusal(plain(Reads=plain()["reads"])).cause
    for words, place in {
        "region": ({"region": "mars"}, "--region"),
        "size": ({"size": "big"}, "--size"),
        "types": ({"types": ["gp9"]}, "--types"),
        "instance": ({"instance": "r6i.colossal"}, "--instance"),
        "current": ({"current": "gp3:colour=3"}, "--current"),
        "stripes": ({"stripes": 99}, "--stripes"),
        "values": ({"values": "per-hour"}, "--values"),
        "wait": ({"wait": "long"}, "--wait"),
    }.values():
        refused = refusal(plain(), **words)
        assert refused.place == place and refused.remedy, (words, refused)
    assert str(refused).startswith("--wait: ")


def test_rates_and_own_columns():
    rates = plain().rename_columns(["disk", "at", "r", "w", "rb", "wb", "size", "current"])
    columns = {"volume": "disk", "time": "at", "reads": "r", "writes": "w", "read_bytes": "rb", "write_bytes": "wb"}
    terms = fathom.margin(fathom.growths(rates, columns=columns, values="per-second"), margin=1.5)
    assert (terms.margin, terms.risk, terms.growths) == (1.5, None, 0)
    found = pyarrow.table(fathom.judge(rates, terms=terms, region=REGION, columns=columns, values="per-second"))
    assert found["needs_iops"][0].as_py() > 6000


def test_terms_travel_and_are_refused_when_changed():
    terms = fathom.margin(fathom.growths(plain(), values="per-row"), risk="5%")
    assert pickle.loads(pickle.dumps(terms)) == terms and "margin=1.3" in repr(terms)
    for from_, to in [("1300", "1400"), (fathom.version()["fathom"], "0.0.1")]:
        other = fathom.Terms(terms.text.replace(from_, to, 1))
        with pytest.raises(fathom.Refusal, match="they (were changed|are of fathom 0.0.1)"):
            fathom.judge(plain(), terms=other, region=REGION, values="per-row")


def test_streams_and_what_is_none():
    growths = fathom.growths(plain(), values="per-row")
    assert len(growths) == 1 and pyarrow.table(growths) == pyarrow.table(growths)
    reader = pyarrow.RecordBatchReader.from_batches(plain().schema, plain().to_batches())
    assert pyarrow.table(fathom.growths(reader, values="per-row")) == pyarrow.table(growths)
    with pytest.raises(fathom.Refusal, match="a list has no method __arrow_c_stream__"):
        fathom.growths([1, 2])

    def broken():
        yield plain().to_batches()[0]
        raise RuntimeError("the lake is closed")

    reader = pyarrow.RecordBatchReader.from_batches(plain().schema, broken())
    with pytest.raises(fathom.Refusal, match="the lake is closed"):
        fathom.growths(reader, values="per-row")
    empty = plain().slice(0, 0)
    assert rows(empty) == []


def test_what_is_not_needed_is_not_read():
    taken = []

    def batches():
        for volume in ["a", "b", "a", "c", "d"]:
            taken.append(volume)
            yield from plain(volume).to_batches()

    reader = pyarrow.RecordBatchReader.from_batches(plain().schema, batches())
    with pytest.raises(fathom.Refusal, match="lie apart"):
        fathom.growths(reader, values="per-row")
    # That a volume came again is known with the first row of the next one.
    assert taken == ["a", "b", "a", "c"]


def test_columns_alone_are_no_stream_of_rows():
    with pytest.raises(fathom.Refusal, match="the stream: .*Unable to interpret"):
        fathom.growths(plain()["reads"])
    with pytest.raises(fathom.Refusal, match="is missing or of another type"):
        fathom.tally(plain())
    with pytest.raises(fathom.Refusal, match="is missing or of another type"):
        fathom.margin(plain())
    terms = fathom.margin(fathom.growths(plain(), values="per-row"))
    with pytest.raises(fathom.Refusal, match="give what fathom.tally gave"):
        fathom.summarise(["{}"], terms=terms, region=REGION)


def test_amounts_of_two_currencies_are_not_added_up():
    euros = {"region": "here", "prices": "provider,region,type,component,price,currency\nown,here,gp3,capacity,0.1,EUR\n"}
    terms = terms_of(plain())
    dollars = pyarrow.table(fathom.judge(plain(), terms=terms, region=REGION, values="per-row"))
    others = pyarrow.table(fathom.judge(plain("b"), terms=terms, values="per-row", **euros))
    assert (dollars["currency"].to_pylist(), others["currency"].to_pylist()) == (["USD"], ["EUR"])
    with pytest.raises(fathom.Refusal, match="are in USD and in EUR"):
        fathom.tally(pyarrow.concat_tables([dollars, others]))
    with pytest.raises(fathom.Refusal, match="are in EUR, and prices of us-east-1 in USD"):
        fathom.summarise([fathom.tally(dollars), fathom.tally(others)], terms=terms, region=REGION)
    assert fathom.summarise(others, terms=terms, **euros)["money"]["currency"] == "EUR"
    assert fathom.summarise([], terms=terms, region=REGION)["volumes"] == 0


def test_disks_of_google_are_offered_behind_the_machine_that_rows_name():
    prices = "provider,region,type,component,price\n" + "".join(
        f"GCP,there,{disk},capacity,{price}\n" for disk, price in {"pd-balanced": 0.1, "pd-ssd": 0.17, "pd-standard": 0.04}.items()
    )
    words = {"region": "there", "prices": prices}

    def on(machine, **more):
        busy = {"reads": pyarrow.array([150_000] * ROWS), "read_bytes": pyarrow.array([150_000 * 8192] * ROWS)}
        machines = pyarrow.array([machine] * ROWS, pyarrow.string())
        table = plain(current=pyarrow.array(["pd-ssd"] * ROWS), instance_type=machines, **busy)
        return rows(table, **words, **more)[0]

    found = on("n2-standard-16")
    assert (found["offer_type"], found["offer_iops"], found["current_holds"]) == ("pd-balanced", 3600, True), found
    assert (found["offer_month"], found["saves_month"]) == (10.0, 7.0)
    # C2 lets 4,000 I/Os a second through to all disks of a type, where the disk has 9,000.
    assert on("c2-standard-8")["current_headroom"] < found["current_headroom"]
    assert "no instance type n9-standard-4" in on("n9-standard-4")["reason"]
    assert on(None, instance="n2-standard-16") == found
    assert refusal(plain(), instance="n2-standard-16").place == "--instance"


def test_a_long_call_ends_when_a_signal_says_so():
    class Enough(Exception):
        pass

    def enough(*_):
        raise Enough

    # One volume without an end, whose rows are not held: the same batch again and again.
    long = plain(rows=1 << 16, **{
        name: pyarrow.array([1] * (1 << 16), pyarrow.int64())
        for name in ("time", "reads", "writes", "read_bytes", "write_bytes", "size")
    }, current=pyarrow.array(["gp3"] * (1 << 16)))
    long = pyarrow.concat_tables([long] * 20_000)
    before = signal.signal(signal.SIGALRM, enough)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(Enough):
            fathom.growths(long, values="per-row", max_rows=0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_volume_that_comes_again_ends_all_or_is_left_out():
    table = pyarrow.concat_tables([plain("a"), plain("b"), plain("a", 7), plain("c")])
    terms = terms_of(plain())
    words = {"region": REGION, "values": "per-row"}
    with pytest.raises(fathom.Refusal, match="lie apart"):
        fathom.judge(table, terms=terms, **words)
    found = pyarrow.table(fathom.judge(table, terms=terms, keep_going=True, **words)).to_pylist()
    assert [(row["volume"], row["status"]) for row in found] == [("a", "not_judged"), ("b", "sized"), ("c", "sized")]
    assert found[0]["reason"].startswith("its rows lie apart: sort"), found[0]
    grown = pyarrow.table(fathom.growths(table, values="per-row", keep_going=True)).to_pydict()
    assert (grown["volume"], grown["rows"]) == (["a", "b", "c"], [ROWS + 7, ROWS, ROWS])
    # Of a table without such a volume nothing changes.
    whole = pyarrow.concat_tables([plain(f"v{number}") for number in range(3)])
    assert pyarrow.table(fathom.judge(whole, terms=terms, **words)) == pyarrow.table(
        fathom.judge(whole, terms=terms, keep_going=True, **words)
    )


def test_columns_of_verdicts_are_those_that_spark_is_told():
    import fathom.spark

    kinds = {"string": pyarrow.string(), "bigint": pyarrow.int64(), "double": pyarrow.float64(), "boolean": pyarrow.bool_()}
    kinds["array<string>"] = pyarrow.list_(pyarrow.string())
    made = {
        fathom.spark.VERDICTS: pyarrow.table(fathom.judge(plain(), terms=terms_of(plain()), region=REGION, values="per-row")),
        fathom.spark.GROWTHS: pyarrow.table(fathom.growths(plain(), values="per-row")),
    }
    for words, table in made.items():
        told = [column.split(" ") for column in words.split(", ")]
        assert [(name, kinds[kind]) for name, kind in told] == [(field.name, field.type) for field in table.schema]


def test_a_sample_is_halved_so_that_more_than_it_holds_are_left():
    import fathom.spark

    most = fathom.spark.SAMPLE
    assert [fathom.spark._halvings(volumes) for volumes in (0, 100, 2 * most, 4 * most + 1)] == [0, 0, 0, 0]
    for volumes in (100_000, 1_000_000, 10_000_000):
        halvings = fathom.spark._halvings(volumes)
        assert 2 * most < volumes >> halvings <= 4 * most + 1, volumes


def test_versions_and_samples():
    found = fathom.version()
    assert set(found) == {"fathom", "catalogue", "catalogue_date", "record"} and len(found["catalogue"]) == 16
    names = [f"vol-{number}" for number in range(4000)]
    half = sum(fathom.is_sampled(name, 1) for name in names)
    assert all(fathom.is_sampled(name, 0) for name in names) and 1800 < half < 2200
