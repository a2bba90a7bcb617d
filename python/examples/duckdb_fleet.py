"""A fleet in Parquet files, by DuckDB, which sorts more than memory holds: python duckdb_fleet.py 'lake/*.parquet' us-east-1"""

import sys

import duckdb
import fathom
import pyarrow


def judge(files, region, **words):
    def table():
        # A stream is read once, so each pass asks anew.
        return duckdb.sql("select * from read_parquet($files) order by volume, time", params={"files": files})

    terms = fathom.margin(fathom.growths(table(), **words), risk="10%")
    rows = fathom.judge(table(), terms=terms, region=region, **words)
    return pyarrow.table(rows), fathom.summarise(rows, terms=terms, region=region)


if __name__ == "__main__":
    verdicts, summary = judge(sys.argv[1], sys.argv[2], values="per-row")
    print(duckdb.sql("select volume, status, offer, offer_month, saves_month from verdicts"))
    print(summary["money"])
