"""What a folder of this machine and one of Arrow's file systems tell of a store is the same."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from pyarrow import fs

from spark import FleetFiles, InputError, explain_group
from spark.errors import UnreadableError
from spark.fleet import clusters_in, contents_of
from spark.fleet.store import Stored
from spark.store import Folder, UnopenableError, folder_of, open_folder
from tests.spark.store.killed_at_each_step import by_arrow
from tests.support.fleets import SNAPSHOT, write_files
from tests.support.odd_groups import odd_groups
from tests.support.said import Run
from tests.support.small import small

EARLIER, BROKEN, WRITING = (f"20261121T0{hour}0000Z" for hour in (5, 7, 8))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Odd groups as another program wrote them, a snapshot of ours, and two that aren't whole."""
    write_files(odd_groups().tables(), tmp_path, EARLIER)
    for snapshot in (SNAPSHOT, BROKEN, WRITING):
        small().store(tmp_path, snapshot)
    (part,) = tmp_path.glob(f"members/snapshot={BROKEN}/*.parquet")
    part.write_bytes(part.read_bytes()[:-9])
    (tmp_path / f"groups/snapshot={WRITING}/_temporary").mkdir()
    (tmp_path / f"groups/snapshot={WRITING}/_temporary/0").touch()
    (tmp_path / f"groups/snapshot={WRITING}/_SUCCESS").touch()
    half = tmp_path / f".evenfleet/manifests/snapshot={SNAPSHOT}/.000009.json.1f"
    half.write_text("half of a manifest", encoding="utf-8")
    return tmp_path


def test_stores_tell_the_same(store: Path) -> None:
    """Which snapshots there are, and how much is in them."""
    local, arrow = Folder(store), by_arrow(store)
    every, wanted = [EARLIER, SNAPSHOT, BROKEN, WRITING], ("groups", "members", "brokers")
    for place in (local, arrow):
        assert place.ids("groups") == place.ids("members") == every
        assert place.ids("brokers") == []
        assert place.being_written(every) == {WRITING}
        assert place.parts("brokers", SNAPSHOT) is None
        with pytest.raises(UnreadableError, match="can't be read"):
            place.parts("members", BROKEN)
    for columns in ((), ("cluster",), ("type", "strategy", "state"), ("nowhere",)):
        tally = local.tally(wanted, [EARLIER, SNAPSHOT, "x"], columns)
        assert tally == arrow.tally(wanted, [EARLIER, SNAPSHOT, "x"], columns)
    contents = contents_of(local, every[:3])
    assert contents == contents_of(arrow, every[:3])
    here, there = (Stored.in_source(place).states.values() for place in (local, arrow))
    assert [why and why.replace("file://", "") for why in there] == [*here]
    assert clusters_in(local, "", every[:3]) == clusters_in(arrow, "", every[:3])
    unreadable = {item: of_it.unreadable_tables for item, of_it in contents.items()}
    assert unreadable == {EARLIER: (), SNAPSHOT: (), BROKEN: ("members",)}
    tally = local.tally(["groups"], [SNAPSHOT, EARLIER], ["cluster"])
    assert tally["groups", SNAPSHOT] == Counter({(b"c",): 2})
    assert tally["groups", EARLIER].keys() == {(b"c",), (b"d",)}


def test_a_group_by_way_of_arrow(store: Path) -> None:
    for snapshot, group in ((EARLIER, "claims"), (EARLIER, "reads-racked"), (SNAPSHOT, "g")):
        local = FleetFiles.read(str(store), snapshot)
        arrow = FleetFiles.read(store.as_uri(), snapshot, place=by_arrow(store))
        assert explain_group(local, group) == explain_group(arrow, group)
        assert local.clusters() == arrow.clusters()


def test_files_that_a_run_has_left_aside_or_that_were_changed(store: Path) -> None:
    """A manifest tells where they are; where Arrow looks no file is fetched to be checked."""
    (part,) = store.glob(f"members/snapshot={SNAPSHOT}/*.parquet")
    run = part.stem.partition("-")[2].partition("-")[2]
    aside = store / ".evenfleet/runs" / run / "members" / f"snapshot={SNAPSHOT}"
    aside.mkdir(parents=True)
    shutil.move(part, aside / part.name)
    part.parent.rmdir()
    assert explain_group(FleetFiles.read("", SNAPSHOT, place=by_arrow(store)), "g").status == "ok"
    (groups,) = store.glob(f"groups/snapshot={SNAPSHOT}/*.parquet")
    shutil.copy(next(store.glob(f"groups/snapshot={EARLIER}/*.parquet")), groups)
    fleets = [
        FleetFiles.read("", SNAPSHOT, place=item) for item in (by_arrow(store), Folder(store))
    ]
    changes = [[change.replace("file://", "") for change in fleet.changes] for fleet in fleets]
    assert changes[0] == changes[1] != []
    groups.write_bytes(groups.read_bytes()[:-9])
    with pytest.raises(InputError, match=r"isn't whole: .* can't be read: it has .* bytes instead"):
        FleetFiles.read("", SNAPSHOT, place=by_arrow(store))


@pytest.mark.parametrize("place_of", [Folder, by_arrow])
def test_what_changes_while_it_is_read_is_told_from_what_is_broken(
    store: Path, place_of: Callable[[Path], Folder]
) -> None:
    """Of a disk the new version is read; where a look costs requests a sentence says it."""
    place, looks = place_of(store), list[int]()
    (newest,) = store.glob(f".evenfleet/manifests/snapshot={SNAPSHOT}/[0-9]*.json")

    def meanwhile() -> int:
        looks.append(newest.write_text(newest.read_text().replace("members", "nobodies")))
        return len(looks)

    with pytest.raises(UnreadableError, match="can't be read"):
        place.at_once([SNAPSHOT], lambda: place.parts("members", BROKEN))
    if place.is_local:
        assert place.at_once([SNAPSHOT], meanwhile) == 2
        return
    with pytest.raises(UnreadableError, match="was written while it was read: run it again"):
        place.at_once([SNAPSHOT], meanwhile)


def test_who_opens_what(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Folder("out")
    assert folder_of(place, "elsewhere") is place  # it is open
    for path in ("out", "/x/out/", "file:/x/out", "file:///x/out"):
        assert open_folder(path).is_local
    assert open_folder("file:///x/out/").root == "/x/out"
    with pytest.raises(UnopenableError, match="there is no such file system"):
        open_folder("nonsense://x")
    with pytest.raises(UnopenableError, match="nonsense://here/x/out can't be opened"):
        open_folder("/x/out", default="nonsense://here")
    monkeypatch.setenv("HADOOP_CONF_DIR", "/etc/hadoop")
    assert open_folder("file:/x/out").is_local
    with pytest.raises(UnopenableError, match=r"with HADOOP_CONF_DIR .* write file:/x/out"):
        open_folder("/x/out")


def test_what_arrow_can_not_open_is_told(
    run: Run, asked: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Shut:
        @staticmethod
        def from_uri(_: str) -> tuple[Shut, str]:
            return Shut(), "bucket/out"

        def get_file_info(self, _: str) -> None:
            raise OSError("no credentials\nat all")

    monkeypatch.setattr("spark.store.opening.fs.FileSystem", Shut)
    output = run("snapshots", "s3://bucket/out")
    assert "s3://bucket/out can't be opened: no credentials. Name a folder of this" in output.err
    assert (output.code, len(asked)) == (2, 0)


def test_hdfs_that_does_not_answer_is_no_empty_folder(
    run: Run, asked: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Down:
        type_name = "hdfs"

        @staticmethod
        def from_uri(_: str) -> tuple[Down, str]:
            return Down(), "/out"

        def get_file_info(self, path: str) -> fs.FileInfo:
            return fs.FileInfo(path, fs.FileType.NotFound)

    monkeypatch.setattr("spark.store.opening.fs.FileSystem", Down)
    output = run("snapshots", "hdfs://name/out")
    assert "hdfs://name/out can't be opened: HDFS doesn't answer, or refuses" in output.err
    assert (output.code, len(asked)) == (2, 0)
