"""`evenfleet import-cli` as a user runs it, and the way on from there."""

import json
import re
from pathlib import Path

import pytest

from spark import FleetFiles, explain_group
from tests.paths import DATA
from tests.support.fleets import SNAPSHOT
from tests.support.said import Run, check_refused
from tests.support.small import rows
from tests.support.terminal import tables_of

CAPTURES = DATA / "cli"
MEMBERS, STATE, TOPICS = (CAPTURES / f"{x}.txt" for x in ("members_verbose", "state", "topics"))
CLUSTER = ("import-cli", "--cluster", "prod")


def into(store: Path) -> tuple[object, ...]:
    return ("--out", store, "--snapshot", SNAPSHOT)


def test_what_kafkas_tools_print_is_planned_as_inferred(
    run: Run, asked: list, tmp_path: Path
) -> None:
    """Topics may be in several files, and subscriptions that a file states aren't inferred."""
    first, *others = re.split(r"(?m)^(?=Topic: )", TOPICS.read_text())[1:]
    parts = {"one.txt": first, "others.txt": "".join(others)}
    stated = "group,client_id,topic\ng-idle,idle0,one\ng-idle,idle1,one\n"
    for name, text in (parts | {"stated.csv": stated}).items():
        (tmp_path / name).write_text(text)
    files = ["--topics", *(tmp_path / name for name in parts)]
    files += ["--groups", MEMBERS, STATE, "--groups", CAPTURES / "offsets_plain.txt"]
    store = tmp_path / "store"
    words = ("--subscriptions", tmp_path / "stated.csv", "--out", store, "--snapshot", SNAPSHOT)
    output = run(*CLUSTER, *files, *words, "--format", "json")
    assert output.code == 0
    assert asked == []  # no session is needed
    counts = {row["table"]: row["rows"] for row in tables_of(output)["tables"]}
    assert [counts[name] for name in ("groups", "assignments", "partitions")] == [10, 62, 17]
    assert json.loads(output.out)["next"] == f"evenfleet plan {store} --out plan"
    assert "All lines read. " in output.err
    assert "Subscriptions of 8 were inferred: each member reads the topics" in output.err
    groups = {row["group"]: row for row in rows(store / "groups")}
    inferred = [groups[name]["subscriptions_inferred"] for name in ("g-idle", "g-range")]
    assert inferred == [False, True]
    status = {name: explain_group(FleetFiles.read(str(store)), name).status for name in groups}
    assert status == dict.fromkeys(status, "inferred") | {"g-empty": "empty", "g-idle": "ok"}


@pytest.mark.parametrize(
    ("which", "header"),
    [
        ("groups", "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT\n"),
        ("topics", "Topic: one PartitionCount: 0\n"),
    ],
)
def test_nothing_is_written_when_no_line_can_be_read(
    run: Run, tmp_path: Path, which: str, header: str
) -> None:
    odd = tmp_path / "odd.txt"
    odd.write_text(header + "odd\n" * 3)
    files = {"groups": MEMBERS, "topics": TOPICS} | {which: odd}
    words = (word for name, file in files.items() for word in (f"--{name}", file))
    output = run(*CLUSTER, *words, "--out", tmp_path / "store")
    check_refused(output, f"none of the 3 lines of {which} can be read, the first since {odd}:2: ")
    assert not (tmp_path / "store").exists()


def test_lines_that_can_not_be_read_are_told_with_file_and_number(run: Run, tmp_path: Path) -> None:
    """Those of megabytes are shortened."""
    long = "x" * 5_000_000
    lines = [long, f"Topic: {long}!\tPartition: 0", f"Topic: t\tPartition: {long}"]
    (tmp_path / "topics.txt").write_text("\n".join([TOPICS.read_text(), *lines, "Error" + long]))
    state = STATE.read_text()
    (tmp_path / "odd.txt").write_text(f"{state}\nwhat is this?\n")
    files = ("--groups", tmp_path / "odd.txt", "--topics", tmp_path / "topics.txt")
    output = run(*CLUSTER, *files, "--groups", MEMBERS, "--out", tmp_path / "store")
    assert output.code == 0
    number = len(state.splitlines()) + 2
    assert re.search(rf"odd\.txt:{number}: .*what is this\?", output.err)
    assert "5 lines could not be read." in output.err
    assert "letters)" in output.err
    assert len(output.err) < 10_000


def test_a_kind_of_lines_that_is_missing_ends_with_1_and_the_rest_is_stored(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "t.txt").write_text(TOPICS.read_text().replace("Leader: ", "Leader: x"))
    store = tmp_path / "store"
    output = run(*CLUSTER, "--topics", tmp_path / "t.txt", "--groups", MEMBERS, *into(store))
    assert output.code == 1
    assert "no line could be read of partitions" in output.err
    assert len(rows(store / "partitions")) == 17


def test_a_cluster_without_groups_comes_in_with_its_brokers(run: Run, tmp_path: Path) -> None:
    store, brokers = tmp_path / "store", []
    for number in (1, 2):
        brokers.append(tmp_path / f"b{number}.txt")
        brokers[-1].write_text(f"host:909{number} (id: {number} rack: r{number}) -> (\n)\n")
    output = run(*CLUSTER, "--topics", TOPICS, "--brokers", *brokers, *into(store))
    assert output.code == 0
    assert [row["rack"] for row in rows(store / "brokers")] == ["r1", "r2"]
    assert run("reassign", store, "--out", tmp_path / "moves").code == 0
