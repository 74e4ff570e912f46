"""The verdict on a fleet, the table above it, and what both add up."""

from typing import Any

import pytest
from pyspark.sql import SparkSession
from rich.console import Console

from optimizer import CONNECT_STRATEGIES, STRATEGIES, STRATEGY_NAMES
from spark import InputError, check_strategies, compare_fleet, fleet_of
from spark.compare.fleet_comparison import best_of
from spark.jobs.compare import COLUMNS_SHOWN
from spark.settings.strategies import for_kind, kind_of
from spark.terminal import console
from spark.terminal.printing import show
from tests.support.fleets import Fleet


def of_strategy(name: str, unbalanced: int = 0, **facts: Any) -> dict[str, Any]:
    """A row of the fleet's table."""
    row = {"strategy": name, "groups": 9, "unbalanced": unbalanced, "excess": 0, "moves": 5}
    return row | {"remote_reads": None, "not_evaluated": 0, "why": None} | facts


BEST = "Best: optimal (9 of 9 groups balanced, 5 moves)."
OF_CONNECT = "Groups of Connect workers: Best: optimal (2 of 2 groups balanced, 5 moves)."
NONE = {"groups": 0, "excess": None, "moves": None}
KAFKAS = [
    of_strategy("optimal", moves=1234),
    of_strategy("sticky", 2, excess=3, moves=1300),
    of_strategy("current", 8, moves=0),
    of_strategy("range", 9),
]
CONNECT = [
    of_strategy("optimal", groups=2, kind="connect"),
    of_strategy("current", 1, kind="connect"),
]
READS = [of_strategy("optimal", remote_reads=3), of_strategy("current", 1, remote_reads=10)]


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        (
            KAFKAS,
            "Kafka's best: sticky (7 of 9 groups balanced, 3 partitions above the optimum, "
            "1,300 moves); optimum: 9 of 9 groups balanced, 1,234 moves.",
        ),
        (
            [KAFKAS[0], of_strategy("sticky", moves=1300), *KAFKAS[2:]],
            "Kafka's best: sticky (9 of 9 groups balanced, 1,300 moves; optimum 1,234).",
        ),
        (  # as good as the best
            [*map(of_strategy, ("optimal", "sticky", "uniform")), of_strategy("x", 1)],
            "Best: optimal, tied with sticky, uniform (9 of 9 groups balanced, 5 moves).",
        ),
        (  # by weight, partitions in excess don't count
            [
                of_strategy("optimal", excess=7, mean_over_bound=1.001),
                of_strategy("range", excess=0, mean_over_bound=1.5),
            ],
            "Kafka's best: range (9 of 9 groups balanced, worst members 1.5 × the bound, 5 moves); "
            "optimum: 9 of 9 groups balanced, worst members 1.001 × the bound, 5 moves.",
        ),
        (READS, f"{BEST} optimal saves 7 of 10 reads across racks."),
        ([READS[0], of_strategy("current", 1, remote_reads=3)], BEST),
        (
            [
                of_strategy("current", moves=0),
                of_strategy("optimal", moves=0),
                of_strategy("range"),
            ],
            "Nothing to change (9 of 9 groups balanced, 0 moves).",
        ),
        (
            [
                of_strategy("optimal", not_evaluated=2, why="2 empty"),
                of_strategy("range", 3, not_evaluated=2, why="2 empty"),
                of_strategy("sticky", not_evaluated=4, why="2 empty, 2 failed; the first is g"),
                of_strategy("uniform", not_evaluated=4, why="2 empty, 2 failed; the first is h"),
            ],
            "Kafka's best: range (6 of 9 groups balanced, 5 moves); optimum: 9 of 9 groups "
            "balanced, 5 moves. Not evaluated: 2 (2 empty). "
            "Not evaluated by sticky, uniform: 2 more, see `why`.",
        ),
        (
            [of_strategy("sticky"), of_strategy("optimal", 1), *CONNECT],
            f"Best: sticky (9 of 9 groups balanced, 5 moves). {OF_CONNECT}",
        ),
        (CONNECT, OF_CONNECT),
        ([], "Nothing to compare: no group that these strategies are for."),
        (
            [of_strategy("optimal", not_evaluated=1, why="1 empty", **NONE)],
            "Nothing to compare: 0 of 1 groups could be measured (1 empty).",
        ),
        (  # one without any answer is never the best, though it may come first
            [
                of_strategy("sticky", not_evaluated=9, why="9 failed; the first is g", **NONE),
                of_strategy("range", 9),
            ],
            "Best: range (0 of 9 groups balanced, 5 moves). Not evaluated by sticky: 9 (9 failed).",
        ),
    ],
)
def test_the_best_is_named_with_what_it_comes_to(rows: list[dict[str, Any]], verdict: str) -> None:
    assert best_of(rows) == verdict


def test_the_table_of_a_large_fleet_fits_80_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is folded or cut: neither a strategy's name nor a number of nine digits."""
    size = {"width": 80, "height": 60}
    terminal = Console(**size, highlight=False, force_terminal=True, color_system=None)
    monkeypatch.setattr(console, "OUT", terminal)
    numbers = {name: 20_000 for name in COLUMNS_SHOWN if name != "strategy"}
    numbers |= {"moves": 2_000_000, "mean_over_bound": 2.5, "worst_over_bound": 100.25}
    rows = [{"strategy": name} | numbers for name in STRATEGIES]
    unlike = dict.fromkeys(numbers, 0)  # a column that says the same in all rows isn't one
    show({"strategies": [*rows, {"strategy": "none"} | unlike]})
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    for name in STRATEGIES:
        (line,) = [line for line in lines if line.split()[:1] == [name]]
        assert line.split()[1:] == [
            *("20,000", "2.5", "100.2", "20,000", "2,000,000", "20,000"),
        ]


FLEET_SCHEMA = (
    "cluster string, `group` string, status string, reason string, strategy string, members int, "
    "partitions int, max_load long, sum_squares long, moves long, takeovers long, excess long, "
    "stopped_eager long, stopped_cooperative long, rounds int, balance_optimal boolean, "
    "local_reads long, remote_reads long, spread long, worst_topic_share double, "
    "max_weight double, weight_bound double, host_excess long, unread long, kind string"
)
COLUMNS = FLEET_SCHEMA.count(",") + 1


def line(group: str, status: str, strategy: str, members: int, *measures: Any, **facts: Any) -> Any:
    """A row of a comparison; `measures` from partitions on, or none."""
    cells = ["c", group, status, facts.get("reason"), strategy, members, *measures]
    if weighs := facts.get("weighs"):
        cells += [None] * (COLUMNS - len(cells) - len(weighs) - 1) + [*weighs]
    return (*cells, *[None] * (COLUMNS - len(cells) - 1), facts.get("kind", "consumer"))


def test_the_fleets_table_adds_up_the_groups(spark: SparkSession) -> None:
    """From rows made by hand; the best strategy comes first, Connect's groups on their own."""
    rows = [
        line("g", "ok", "best", 2, 7, 4, 25, 2, 1, 0, 6, 2, 2, True, 5, 2, 13, 1.0, 6.0, 5.0, 1),
        line("h", "inferred", "best", 3, 0, 0, 0, 0, 0, 0, 0, 0, 1, True),
        line("i", "empty", "best", 0, reason="no members"),
        line("g", "ok", "worst", 2, 7, 6, 37, 0, 0, 2, 6, 0, 1, False, 3, 4, 25, 2.5, 7.5, 5.0, 2),
        line("h", "ok", "worst", 3, 3, 3, 9, 1, 0, 2, 3, 1, 2, False, 1, 1, 3, 1.5, 9.0, 6.0),
        # not wholly assigned
        line("i", "ok", "worst", 3, 3, 1, 3, 0, 0, 0, 3, 0, 1, None),
        line("k", "failed", "worst", 3, reason="too long"),
        line("j", "failed", "worst", 3, reason="Kafka throws"),
        line("l", "rebalancing", "worst", 3, reason="it is rebalancing"),
        # by weight as well, what isn't read weighs nothing
        line("g", "ok", "current", 2, 7, 2, 8, 0, 0, 0, 0, 0, 0, False, weighs=(3.0, 5.0, 0, 3)),
        # else a strategy of theirs would be best for having few groups
        line("w", "ok", "connect-eager", 2, 2, 1, 2, 1, kind="connect"),
        line("w", "ok", "best", 2, 2, 1, 2, 0, kind="connect"),
    ]
    columns = (
        *("kind", "strategy", "groups", "not_evaluated", "uneven", "unbalanced"),
        *("worst_max_to_mean", "mean_topic_share", "mean_over_bound", "worst_over_bound"),
        *("excess", "host_excess", "local_reads", "remote_reads", "sum_squares", "spread"),
        *("moves", "takeovers", "stopped_eager", "stopped_cooperative", "unread", "rounds", "why"),
    )
    best = ("consumer", "best", 2, 1, 0, 0, 4 / 3.5, 1.0, 1.2, 1.2, 0, 1, 5, 2, 25, 13)
    best += (2, 1, 6, 2, None, 3, "1 empty")
    worst = ("consumer", "worst", 3, 3, 2, 3, 3.0, 2.0, 1.5, 1.5, 4, 2, 4, 5, 49, 28)
    why = "1 rebalancing, 2 failed; the first that failed is j of c: Kafka throws"
    worst += (1, 0, 12, 1, None, 4, why)
    table = fleet_of(spark.createDataFrame(rows, FLEET_SCHEMA)).collect()
    assert tuple(table[0].asDict()) == columns
    assert [*map(tuple, table[:2])] == [best, worst]
    assert (table[2].strategy, table[2].unread, table[2].mean_over_bound) == ("current", 3, None)
    connect = [(row.kind, row.strategy, row.groups) for row in table[3:]]
    assert connect == [("connect", "best", 1), ("connect", "connect-eager", 1)]


@pytest.mark.ends
def test_in_a_spark_worker_too_a_strategy_stops_when_its_time_is_up(spark: SparkSession) -> None:
    """The sticky strategies' search takes several times as long; the others go on."""
    topics = [f"t{number}" for number in range(60)]
    made = Fleet()
    for topic in topics:
        made.topic(topic, 1000)
    reads = {f"m{m}": topics[m % 40 : m % 40 + 20] for m in range(120)}
    claims = [(t, p, f"m{n}") for n, t in enumerate(topics[:50]) for p in range(1000)]
    made.group("large", reads, claims).topic("u", 1).group("small", {"a": ["u"]})
    names = ["sticky", "optimal"]
    rows = compare_fleet(made.snapshot(spark), names, strategy_seconds=0.2).collect()
    output = {(row.group, row.strategy): row for row in rows}
    assert output["large", "sticky"].status == "failed"
    assert output["large", "sticky"].reason.startswith("it takes longer than the 0.2 seconds")
    assert output["large", "sticky"].max_load is None
    assert [output["small", name].status for name in names] == ["ok", "ok"]


def test_names_are_taken_once_without_spaces_and_all_if_none() -> None:
    assert check_strategies(["range", " optimal ", "range"]) == ["range", "optimal"]
    assert check_strategies([]) == ["current", *STRATEGY_NAMES]


def test_each_kind_of_groups_has_its_own_strategies() -> None:
    every = check_strategies([])
    assert for_kind(every, kind_of("connect")) == ["current", *CONNECT_STRATEGIES]
    for other in (None, "classic", "consumer", "share", "other"):
        assert for_kind(every, kind_of(other)) == ["current", *STRATEGIES]
    assert for_kind(["range", "connect-eager"], kind_of("connect")) == ["connect-eager"]


def test_null_keys_stop_the_comparison(spark: SparkSession) -> None:
    with pytest.raises(InputError, match=r"\(groups\.cluster: 1 rows\)"):
        compare_fleet(Fleet().add("groups", cluster=None, group="g").snapshot(spark))
