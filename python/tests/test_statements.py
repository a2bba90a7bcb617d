"""The SQL of the documentation makes tables that are judged."""

import json
import pathlib
import re

import fathom
import pyarrow
import pytest
from conftest import REGION

duckdb = pytest.importorskip("duckdb")

PAGE = pathlib.Path(__file__).parents[2] / "docs/fleets-beyond-one-machine.md"
START_MS = 1_793_491_200_000
MINUTES = 60


def statements():
    return re.findall(r"```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def judged(table, **words):
    terms = fathom.margin(fathom.growths(table, values="per-row"))
    rows = fathom.judge(table, terms=terms, region=REGION, values="per-row", **words)
    return {row["volume"]: row for row in pyarrow.table(rows).to_pylist()}


def test_metric_streams_with_an_inventory(tmp_path):
    metric_stream, _, joined = statements()
    lines = []
    for minute in range(MINUTES):
        for name, count in {"VolumeReadOps": 6000, "VolumeWriteOps": 60, "VolumeReadBytes": 6000 * 4096, "VolumeWriteBytes": 60 * 4096}.items():
            line = {"namespace": "AWS/EBS", "metric_name": name, "dimensions": {"VolumeId": "vol-0a"}}
            line.update(timestamp=START_MS + 60_000 * minute, value={"count": 1.0, "sum": float(count), "max": 1.0, "min": 0.0}, unit="Count")
            lines.append(json.dumps(line))
    (tmp_path / "stream.json").write_text("\n".join(lines), encoding="utf-8")
    with duckdb.connect() as lake:
        lake.execute(f"create view metric_stream as select * from read_json('{tmp_path}/stream.json')")
        lake.execute(f"create view demand as {metric_stream}")
        lake.execute(
            "create table inventory as select 'vol-0a' as volume, 100 as size_gib, 'gp3' as offer, 'm5.large' as instance_type"
        )
        table = lake.sql(f"select * from ({joined}) order by volume, time").to_arrow_table()
    (row,) = judged(table).values()
    assert (row["status"], row["needs_iops"], row["tick_s"], row["ticks"]) == ("sized", 101, 60, MINUTES), row
    assert row["current"].startswith("gp3") and row["current_holds"] is True


def test_counters_with_a_reset():
    _, counters, _ = statements()
    samples = []
    for minute in range(MINUTES):
        count = 6000 * (minute if minute < 30 else minute - 30)
        for name, value in {
            "node_disk_reads_completed_total": count,
            "node_disk_writes_completed_total": 0,
            "node_disk_read_bytes_total": count * 4096,
            "node_disk_written_bytes_total": 0,
        }.items():
            samples.append({"instance": "db1", "device": "nvme1n1", "timestamp": START_MS + 60_000 * minute, "name": name, "value": float(value)})
    samples += [{**sample, "device": "dm-0"} for sample in samples]
    samples = pyarrow.Table.from_pylist(samples)
    with duckdb.connect() as lake:
        lake.register("samples", samples)
        table = lake.sql(f"select * from ({counters}) order by volume, time").to_arrow_table()
    (row,) = judged(table, size="100GiB").values()
    assert (row["volume"], row["status"], row["tick_s"]) == ("db1/nvme1n1", "sized", 60), row
    assert 95 < row["needs_iops"] <= 100, row
    # The first row has no row before it, and one minute saw the reset.
    assert "2 rows have an empty cell" in " ".join(row["notes"])
