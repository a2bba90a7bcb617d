"""A fleet in Parquet files, by pandas 2.2 and later: python pandas_fleet.py lake us-east-1"""

import sys

import fathom
import pandas
import pyarrow


def judge(files, region, **words):
    # Arrow's types tell an empty cell from NaN, and keep whole numbers whole.
    table = pandas.read_parquet(files, dtype_backend="pyarrow").sort_values(["volume", "time"], kind="stable")
    terms = fathom.margin(fathom.growths(table, **words), risk="10%")
    rows = fathom.judge(table, terms=terms, region=region, **words)
    summary = fathom.summarise(rows, terms=terms, region=region)
    return pyarrow.table(rows).to_pandas(types_mapper=pandas.ArrowDtype), summary


if __name__ == "__main__":
    rows, summary = judge(sys.argv[1], sys.argv[2], values="per-row")
    print(rows[["volume", "status", "offer", "offer_month", "saves_month"]])
    print(summary["money"])
