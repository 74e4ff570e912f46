"""A store in moto's S3: of two runs at once one wins, since a manifest is put where none is."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

from spark.errors import InputError, RunError
from spark.fleet import write_store
from spark.store import Folder, open_folder
from tests.spark.store.killed_at_each_step import OWNED, write
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.said import Run
from tests.support.terminal import tables_of

pytestmark = pytest.mark.ends
KEY = {"access.key": "k", "secret.key": "s", "endpoint.region": "us-east-1"}


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """Spark's settings of an S3 with an empty bucket `fleet`, which the environment names too."""
    server = ThreadedMotoServer(port=0)
    server.start()
    endpoint = "http://{}:{}".format(*server.get_host_and_port())
    of_env = {"ACCESS_KEY_ID": "k", "SECRET_ACCESS_KEY": "s", "REGION": "us-east-1"}
    for name, value in (of_env | {"ENDPOINT_URL": endpoint}).items():
        monkeypatch.setenv(f"AWS_{name}", value)
    boto3.client("s3").create_bucket(Bucket="fleet")
    yield KEY | {"endpoint": endpoint, "path.style.access": "true"}
    server.stop()


def opened(settings: dict[str, str], path: str) -> Folder:
    def setting(name: str) -> str | None:
        return settings.get(name.removeprefix("spark.hadoop.fs.s3a."))

    return open_folder(f"s3://fleet/{path}", setting=setting)


def contents(place: Folder) -> list[set[Any]]:
    """The different values in each table of a snapshot."""
    parts = {table: place.parts(table, SNAPSHOT) for table in OWNED}
    paths = [part.paths for part in parts.values() if part]
    return [{x for path in of for x in place.open(path).read()["x"].to_pylist()} for of in paths]


def test_of_two_runs_at_once_one_wins_with_all_its_tables(s3: dict[str, str]) -> None:
    def try_to_write(path: str, content: int) -> int | None:
        try:
            write(opened(s3, path), content, OWNED, SNAPSHOT)
        except RunError as error:
            assert "another run wrote snapshot" in str(error)
            return None
        return content

    with ThreadPoolExecutor() as pool:
        for turn in range(5):
            path = f"results{turn}"
            write(opened(s3, path), 0, OWNED, SNAPSHOT)
            ends = [*pool.map(partial(try_to_write, path), (1, 2))]
            written = [end for end in ends if end is not None]
            assert contents(opened(s3, path)) in [[{one}] * len(OWNED) for one in written]


def test_a_file_is_made_only_where_none_is(s3: dict[str, str]) -> None:
    place = opened(s3, "results")
    assert place.create and place.system
    assert [place.create("fleet/results/one", content) for content in (b"1", b"2")] == [True, False]
    with place.system.open_input_file("fleet/results/one") as file:
        assert file.read() == b"1"


def test_commands_write_and_list_a_store(s3: dict[str, str], run: Run) -> None:
    fleet = Fleet().topic("a", 2).group("g", {"m": ["a"]}).tables()
    write_store(fleet, opened(s3, "store"), SNAPSHOT)
    rows = tables_of(run("snapshots", "s3://fleet/store", "--files", "--format", "json"))
    assert {row["table"] for row in rows["files"]} == set(fleet)
    with pytest.raises(InputError, match="is there already"):
        write_store(fleet, opened(s3, "store"), SNAPSHOT)
