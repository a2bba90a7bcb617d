"""A fleet in Parquet files, by Ray Data: python ray_fleet.py lake us-east-1"""

import sys

import fathom
import pyarrow
import ray


def judge(files, region, parts, **words):
    # A volume is in one block whole; each task sorts its own.
    blocks = ray.data.read_parquet(files).repartition(parts, keys=["volume"])

    def growths(block):
        return pyarrow.table(fathom.growths(block.sort_by([("volume", "ascending"), ("time", "ascending")]), **words))

    def verdicts(block, terms):
        table = block.sort_by([("volume", "ascending"), ("time", "ascending")])
        return pyarrow.table(fathom.judge(table, terms=terms, region=region, **words))

    whole = {"batch_format": "pyarrow", "batch_size": None}
    found = blocks.map_batches(growths, **whole).to_arrow_refs()
    terms = fathom.margin(pyarrow.concat_tables(ray.get(found)), risk="10%")
    rows = pyarrow.concat_tables(ray.get(blocks.map_batches(verdicts, fn_args=[terms], **whole).to_arrow_refs()))
    return rows, fathom.summarise(rows, terms=terms, region=region)


if __name__ == "__main__":
    rows, summary = judge(sys.argv[1], sys.argv[2], 8, values="per-row")
    print(summary["money"])
