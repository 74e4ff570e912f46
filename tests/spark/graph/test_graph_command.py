"""`evenfleet graph`: what it prints, and what it says of a question that can't be asked."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark.fleet.local_store import write_store
from spark.graph.fleet_graph import has_graphframes
from spark.graph.packages import coordinate
from spark.jobs.graph import bring_graphframes
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.said import Run, flat, is_one_line

HOSTILE = '"><script>alert(1)</script>\n\x1b[2J|=\\\u202e'


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two groups that share a topic, and one of two parts with a name that means harm."""
    fleet = Fleet().topic("shared", 2).topic("mine", 3).topic(HOSTILE, 1)
    for row in fleet.rows["partitions"]:
        row["leader"] = 3 if row["topic"] == "shared" else 4
    fleet.group("a", {"a1": ["shared"], "a2": ["shared"]}, [("shared", 0, "a1")])
    fleet.group("b", {"b1": ["shared"]}, [("shared", 0, "b1"), ("shared", 1, "b1")])
    fleet.group(HOSTILE, {"h1": ["mine"], HOSTILE: [HOSTILE]}, [("mine", 2, "h1")])
    fleet.add("brokers", broker=3, rack="r")
    folder = tmp_path_factory.mktemp("graph") / "store"
    write_store(fleet.tables(), folder, SNAPSHOT)
    return folder


@pytest.mark.usefixtures("graphframes")
class TestQuestions:
    """Each question, as a table and as JSON."""

    def test_coupled_groups(self, run: Run, store: Path) -> None:
        """Names are written so that they do no harm to a terminal."""
        output = run("graph", store, "--question", "coupled-groups")
        assert output.code == 0
        assert "\x1b" not in output.out
        assert "\u202e" not in output.out
        assert "\\x1b" in output.out
        output = run("graph", store, "--question", "coupled-groups", "--hub", 1, "--format", "json")
        printed = json.loads(output.out)
        assert printed["fleet"] == [
            {"groups": 3, "alone": 3, "coupled": 0, "components": 3, "largest_component": 1}
        ]
        assert {(row["group"], row["hub_topics"]) for row in printed["groups"]} == {
            ("a", 1),
            ("b", 1),
            (HOSTILE, 0),
        }

    def test_reach(self, run: Run, store: Path) -> None:
        words = ("--question", "reach", "--rack", "r", "--format", "json")
        printed = json.loads(run("graph", store, *words).out)
        assert [tuple(row.values()) for row in printed["reach"]] == [
            (0, "broker", 1, 0, 0),
            (1, "partition", 2, 0, 1),
            (2, "member", 2, 2, 0),
        ]
        assert [(row["group"], row["depth"], row["members"]) for row in printed["groups"]] == [
            ("a", 2, 1),
            ("b", 2, 1),
        ]

    def test_components_and_competitors(self, run: Run, store: Path) -> None:
        """The cluster needs no name where only one has such a group; the first rows are enough."""
        words = ("--question", "components", "--group", HOSTILE, "--rows", 1, "--format", "json")
        assert json.loads(run("graph", store, *words).out)["components"] == [
            {"component": "h1", "members": 1, "topics": 1, "partitions": 3},
        ]
        output = run("graph", store, "--question", "competitors", "--group", "a", "--member", "a2")
        assert output.code == 0
        assert flat(output.out).endswith("a1 - - - 2 1")

    def test_what_is_not_there_is_bad_input(self, run: Run, store: Path) -> None:
        output = run("graph", store, "--question", "components", "--group", "x\ny")
        assert output.code == 2
        assert is_one_line(output)
        assert "no cluster has a group 'x\\ny' with members" in output.err
        near = run("graph", store, "--question", "components", "--group", HOSTILE[:-1])
        assert "with members; did you mean " in near.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("reach", "--hub", 2), "--hub doesn't apply to --question reach"),
        (("competitors", "--cluster", "c"), "--question competitors needs --group and --member"),
        (("components",), "--question components needs --group"),
    ],
)
def test_options_that_do_not_fit_the_question(
    run: Run, store: Path, words: tuple[str, ...], sentence: str
) -> None:
    output = run("graph", store, "--question", *words)
    assert (output.code, output.err) == (2, f"evenfleet: {sentence}\n")


def test_where_the_jar_cannot_be_had_a_sentence_says_how_to_bring_it(
    run: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark's resolver is asked for it, in vain; a thread of its own sees no jar of another's."""
    monkeypatch.setattr("spark.jobs.graph.coordinate", lambda _: "no coordinate")
    with ThreadPoolExecutor(1) as elsewhere:
        output = elsewhere.submit(run, "graph", store, "--question", "coupled-groups").result()
    assert output.code == 2
    assert is_one_line(output)
    assert f"`--packages {coordinate('graphframes')}`" in output.err


def test_the_session_gets_the_jar_from_sparks_resolver(graphframes: SparkSession) -> None:
    """A thread that lacks it asks for it, and then has it."""
    with ThreadPoolExecutor(1) as elsewhere:
        assert not elsewhere.submit(has_graphframes, graphframes).result()
        elsewhere.submit(bring_graphframes, graphframes).result()
        assert elsewhere.submit(has_graphframes, graphframes).result()
