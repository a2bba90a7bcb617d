"""A fleet in Parquet files, by Dask: python dask_fleet.py lake us-east-1"""

import sys

import dask.dataframe
import fathom
import pandas
import pyarrow


def judge(files, region, **words):
    table = dask.dataframe.read_parquet(files, dtype_backend="pyarrow").shuffle("volume").to_delayed()

    def growths(part):
        return pyarrow.table(fathom.growths(part.sort_values(["volume", "time"]), **words))

    def verdicts(part, terms):
        rows = fathom.judge(part.sort_values(["volume", "time"]), terms=terms, region=region, **words)
        return pyarrow.table(rows)

    found = dask.compute(*[dask.delayed(growths)(part) for part in table])
    terms = fathom.margin(pyarrow.concat_tables(found), risk="10%")
    rows = pyarrow.concat_tables(dask.compute(*[dask.delayed(verdicts)(part, terms) for part in table]))
    return rows, fathom.summarise(rows, terms=terms, region=region)


if __name__ == "__main__":
    rows, summary = judge(sys.argv[1], sys.argv[2], values="per-row")
    print(rows.to_pandas(types_mapper=pandas.ArrowDtype)[["volume", "status", "offer", "saves_month"]])
    print(summary["money"])
