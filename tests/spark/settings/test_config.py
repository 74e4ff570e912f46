"""The product's own settings."""

import sys
from datetime import timedelta
from os import mkfifo
from pathlib import Path
from subprocess import run as run_program

import pytest

from spark import InputError
from spark.settings.config import Settings, read_settings
from tests.paths import ROOT
from tests.support.said import Run
from tests.support.terminal import tables_of

SHIPPED = ROOT / "conf" / "evenfleet.toml"


def read(path: Path, text: str) -> Settings:
    path.write_text(text, encoding="utf-8")
    return read_settings(path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "evenfleet.toml"


def test_no_file_and_an_empty_file_and_the_shipped_one_are_the_defaults(file: Path) -> None:
    assert read_settings(None) == read(file, "") == read_settings(SHIPPED) == Settings()


def test_pydantic_is_loaded_where_a_file_is_read_and_only_there(file: Path) -> None:
    """It takes a tenth of a second, of commands, of workers and of the optimizer."""
    file.write_text("strategy = 'range'", encoding="utf-8")
    program = """
import sys
import optimizer, spark.audit, spark.jobs.config, spark.jobs.plan, spark.jobs.scale
import spark.jobs.collect, spark.jobs.audit
from spark.settings import read_settings
loaded = ["pydantic" in sys.modules]
read_settings(None if len(sys.argv) < 2 else __import__("pathlib").Path(sys.argv[1]))
print(loaded + ["pydantic" in sys.modules])
"""
    for words, printed in (([], "[False, False]"), ([str(file)], "[False, True]")):
        whole = [sys.executable, "-c", program, *words]
        done = run_program(whole, capture_output=True, text=True, check=True, cwd=ROOT)
        assert done.stdout.strip() == printed


def test_settings_are_read(file: Path) -> None:
    text = """
        strategy = "range"
        strategies = ["current", "sticky"]
        strategy_seconds = 2
        max_age = "90m"
        [spark]
        "spark.sql.shuffle.partitions" = 8
        "spark.sql.ansi.enabled" = false
        "spark.driver.memory" = "8g"
    """
    assert read(file, text) == Settings(
        strategy="range",
        strategies=("current", "sticky"),
        strategy_seconds=2,
        max_age=timedelta(minutes=90),
        spark={
            "spark.sql.shuffle.partitions": "8",
            "spark.sql.ansi.enabled": "false",
            "spark.driver.memory": "8g",
        },
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("stratgy = 1", "unknown key 'stratgy' (did you mean strategy?)"),
        ("xyz = 1", "unknown key 'xyz' (known are strategy, strategies, "),
        ("goals = 3", "goals must be a table"),
        ("[goals]\nrack = 'near'", "goals: rack is 'near' and must be 'leader', 'any' or none"),
        ("[goals]\nracks = 'any'", "goals: unknown key 'racks' (did you mean rack?)"),
        (
            "[[group]]\nrack = 'any'",
            "[[group]] number 1: match is missing: give a pattern such as 'payments-*'",
        ),
        ("[[group]]\nmatch = 3", "[[group]] number 1: match is 3 and must be a pattern"),
        ("[[group]]\nmatch = 'a'\nmin_gain = -1", "[[group]] number 1: min_gain is -1 and must"),
        ("group = 'a'", "group must be tables, each headed [[group]]"),
        ("[traffic]\nprice = 1", "traffic: unknown key 'price' (known is price_per_gb)"),
        ("max_age = 24", "max_age is 24 and must be a whole number and s, m, h or d, such as"),
        ("max_age = '1.5h'", "max_age is '1.5h' and must be a whole number and s, m, h or d"),
        ("strategy = 'best'", "strategy is 'best' and must be one of optimal, range, "),
        ("strategy = []", "strategy is [] and must be one of optimal, range, "),
        ("strategy = 'current'", "strategy is 'current' and must be one of optimal, range, "),
        ("strategies = 'range'", "strategies is 'range' and must be a list, each one of current, "),
        ("strategies = ['unifrm']", "strategies has 'unifrm': did you mean 'uniform'?"),
        ("strategy = 'rnage'", "strategy is 'rnage': did you mean 'range'?"),
        (
            "strategies = ['range', 3]",
            "strategies has 3, which must be one of current, optimal, range, ",
        ),
        ("strategy_seconds = 0", "strategy_seconds is 0 and must be a number above 0"),
        ("strategy_seconds = inf", "strategy_seconds is inf and must be a number above 0"),
        ("strategy_seconds = true", "strategy_seconds is True and must be a number above 0"),
        ("strategy_seconds = '9'", "strategy_seconds is '9' and must be a number above 0"),
        ("spark = 4", "spark must be a table"),
        ("[spark]\nspark.driver.memory = '8g'", "(write keys with dots in quotes)"),
        ("[spark]\n'spark.x' = [1]", "spark: spark.x is [1] and must be a text, a number or"),
        (
            "[consumers]\nsession_timeout_ms = 0",
            "consumers: session_timeout_ms is 0 and must be a whole number of milliseconds",
        ),
        (
            "[consumers]\ngroup_protocol = 'new'",
            "consumers: group_protocol is 'new' and must be one of classic, consumer",
        ),
        (
            "[consumers]\npartition_assignment_strategy = ['uniform']",
            "consumers: partition_assignment_strategy has 'uniform', which must be one of range, ",
        ),
        ("[consumers]\nsession_timeout = 5", "consumers: unknown key 'session_timeout'"),
    ],
)
def test_a_wrong_key_or_value_is_named(file: Path, text: str, fault: str) -> None:
    with pytest.raises(InputError) as raised:
        read(file, text)
    assert str(raised.value).startswith(f"configuration {file}: ")
    assert fault in str(raised.value)


def test_all_faults_are_told_at_once(file: Path) -> None:
    with pytest.raises(InputError) as raised:
        read(file, "a = 1\nb = 2\nstrategies = ['x', 'y']")
    assert str(raised.value).count(";") == 3


def test_what_editors_of_windows_write(file: Path) -> None:
    """A byte order mark is passed over."""
    file.write_text("strategy = 'range'", encoding="utf-8-sig")
    assert read_settings(file).strategy == "range"


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"strategy = ", "toml is not TOML: "),
        ("strategy = 'range'".encode("utf-16"), "toml is not UTF-8: save it with that encoding"),
        (b"[a" + b".a" * 5_000 + b"]", "tables are nested too deep in it, or a number has too "),
        (b"a = " + b"[" * 5_000 + b"]" * 5_000, "tables are nested too deep in it, or a number"),
        (b"strategy_seconds = " + b"9" * 100_000, "or a number has too many digits"),
        (b"strategy_seconds = 0x" + b"f" * 100_000, "or a number has too many digits"),
        (b"strategy_seconds = 1" + b"0" * 400, " and must be a number above 0"),
        (b"#" * (1 << 20) + b"#", "read: it is too large: at most 1,048,576 bytes are read"),
        (b"a" + b' . "b"' * 101 + b" = 1", "tables are nested too deep in it, or a number has too"),
    ],
    ids=["no TOML", "UTF-16", "tables", "lists", "digits", "hex", "beyond reals", "size", "key"],
)
def test_absurd_files_are_refused_in_a_sentence(file: Path, content: bytes, fault: str) -> None:
    file.write_bytes(content)
    with pytest.raises(InputError) as raised:
        read_settings(file)
    assert fault in str(raised.value)


def test_a_file_that_is_not_there_and_a_device_are_not_read(file: Path) -> None:
    """A device or a pipe may have no end."""
    with pytest.raises(InputError, match=r"evenfleet\.toml can't be read: No such file"):
        read_settings(file)
    mkfifo(file)
    for path in (file, Path("/dev/zero")):
        with pytest.raises(InputError, match=f"{path} can't be read: it is a device or a "):
            read_settings(path)


RULES = """
    [[group]]
    match = "payments-*"
    cluster = "prod-*"
    min_gain = 2
    [[group]]
    match = "pay*"
    cluster = "test"
    min_gain = 3
"""
FIRST, SECOND = "by payments-* of clusters prod-*", "by pay* of clusters test"


@pytest.mark.parametrize(
    ("text", "words", "goals", "sentence"),
    [
        # without a cluster: each rule that may count
        (
            RULES,
            ["payments-1"],
            {FIRST: 2.0, SECOND: 3.0, "by default": 0.0},
            "Which of these count for group payments-1 depends on its cluster",
        ),
        (RULES, ["payments-1", "--cluster", "test"], {SECOND: 3.0}, ""),
        # one for all clusters ends the list
        (
            RULES.replace('cluster = "test"', ""),
            ["payments-1"],
            {FIRST: 2.0, "by pay*": 3.0},
            "Which of these",
        ),
        (RULES.replace('cluster = "test"', ""), ["pay-2"], {"by pay*": 3.0}, ""),
    ],
)
def test_the_goals_of_a_group_and_the_rules_they_come_from(
    run: Run, file: Path, text: str, words: list[str], goals: dict[str, float], sentence: str
) -> None:
    """`evenfleet config --group`."""
    file.write_text(text, encoding="utf-8")
    output = run("config", "--config", file, "--group", *words, "--format", "json")
    rows = tables_of(output)["goals"]
    assert [(row["goals_of"], row["min_gain"]) for row in rows] == [
        (f"group {words[0]}, {rule}", min_gain) for rule, min_gain in goals.items()
    ]
    assert output.err.startswith(sentence) and bool(output.err) == bool(sentence)


def test_consumers_are_configured_by_groups(file: Path) -> None:
    settings = read(
        file,
        """
        [consumers]
        session_timeout_ms = 20000
        restart_seconds = 60
        [[group]]
        match = "pay-*"
        session_timeout_ms = 10000
        partition_assignment_strategy = ["cooperative-sticky"]
        min_gain = 0.5
        """,
    )
    of_group = settings.consumers.parameters("c", "pay-1")
    assert (of_group.client.session_ms, of_group.limits.session) == (10_000, 10)
    assert of_group.client.assignors == ("cooperative-sticky",)
    assert settings.consumers.parameters("c", "g").client.session_ms == 20_000
    assert settings.goals.of("c", "pay-1").min_gain == 0.5
    assert settings.consumers.assumptions == (
        "Assumes Kafka's defaults: heartbeat.interval.ms=3000, max.poll.interval.ms=300000, "
        "auto.commit.interval.ms=5000, unless a rule of the configuration says otherwise."
    )


@pytest.mark.parametrize(
    ("stated", "assumed"),
    [
        ("commit = 'poll'", "max.poll.interval.ms=300000"),
        ("enable_auto_commit = false", 'state commit = "poll" in [consumers] if members commit'),
        ("enable_auto_commit = false\ncommit = 'poll'", "max.poll.interval.ms=300000"),
        ("commit = 'interval'", "auto.commit.interval.ms=5000"),
    ],
)
def test_how_a_group_commits(file: Path, stated: str, assumed: str) -> None:
    consumers = read(file, f"[consumers]\n{stated}\n").consumers
    assert assumed in (consumers.assumptions or "")
    client = consumers.parameters("c", "g").client
    polls = "poll" in stated
    assert (client.auto_commit, client.commit_ms) == (
        polls or "false" not in stated,
        100 if polls else 5_000,
    )


def test_an_example_that_is_not_there_names_those_that_are(run: Run) -> None:
    assert "no example 'audits'; did you mean audit?" in run("config", "--example", "audits").err
    said = run("config", "--example", "x")
    assert (said.code, said.err[:28]) == (2, "evenfleet: no example 'x': c")
    assert all(f" {name}" in said.err for name in ("evenfleet", "alerts", "dashboard", "scale-out"))
    assert run("config", "--example", "audit").out == (ROOT / "conf/audit.toml").read_text("utf-8")
