"""A fleet in Parquet files, by Polars: python polars_fleet.py 'lake/*.parquet' us-east-1"""

import sys

import fathom
import polars


def judge(files, region, **words):
    table = polars.scan_parquet(files).sort("volume", "time").collect()
    terms = fathom.margin(fathom.growths(table, **words), risk="10%")
    rows = fathom.judge(table, terms=terms, region=region, **words)
    return polars.DataFrame(rows), fathom.summarise(rows, terms=terms, region=region)


if __name__ == "__main__":
    rows, summary = judge(sys.argv[1], sys.argv[2], values="per-row")
    print(rows.select("volume", "status", "offer", "offer_month", "saves_month"))
    print(summary["money"])
