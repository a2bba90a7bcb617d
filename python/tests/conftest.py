"""What tests share: the lake, written once, and the program's own answer to it."""

import json
import os
import pathlib
import subprocess
import sys

import pyarrow.parquet
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "examples"))

import lake  # noqa: E402

REGION = "us-east-1"


def pytest_configure(config):
    config.addinivalue_line("markers", "briefly: of Spark's tests those that every change runs, in one session")


@pytest.fixture(scope="session")
def table():
    return lake.table()


@pytest.fixture(scope="session")
def folder(tmp_path_factory, table):
    return lake.write(tmp_path_factory.mktemp("lakes") / "sorted", table)


@pytest.fixture(scope="session")
def days(tmp_path_factory, table):
    return lake.write(tmp_path_factory.mktemp("lakes") / "days", table, by_day=True)


def program_digest(program, folder, place):
    """What `fathom size --fleet` says of a lake."""
    rows = place / "rows.parquet"
    words = [program, "size", "--fleet", str(folder), "--values", "per-row", "--region", REGION]
    done = subprocess.run([*words, "--rows", str(rows), "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return lake.digest(pyarrow.parquet.read_table(rows), json.loads(done.stdout))


@pytest.fixture(scope="session")
def program():
    """The program, as FATHOM names it."""
    path = os.environ.get("FATHOM")
    if not path:
        pytest.skip("FATHOM names no program to compare with")
    return path


@pytest.fixture(scope="session")
def expected(program, folder, tmp_path_factory):
    """The digest that every engine has to give."""
    return program_digest(program, folder, tmp_path_factory.mktemp("program"))
