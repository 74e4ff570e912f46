"""The table of paths whose change asks for all tests, and the marks of those tests."""

import re
import tomllib

from tests.paths import ROOT
from tests.support.tiers import DEFAULT, FOLDERS, asks_for_all, tiered

TABLE: dict[str, str] = tomllib.loads((ROOT / "tests/tiers.toml").read_text("utf-8"))["all"]


def test_every_path_and_folder_of_the_tables_is_there() -> None:
    assert [path for path in (*TABLE, *FOLDERS) if not (ROOT / path).exists()] == []


def test_contributing_has_the_same_table() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = page.partition("## Two tiers")[2].partition("\n## ")[0]
    assert dict(re.findall(r"^\| `([^`]+)` \| (.*) \|$", section, re.MULTILINE)) == TABLE


def test_a_change_below_a_path_asks_for_all_tests() -> None:
    changed = ["spark/store/source.py", "spark/storehouse.py", "pyproject.toml", "docs/plan.md"]
    assert asks_for_all(changed) == ["spark/store", "pyproject.toml"]


def test_bin_test_takes_the_default_tier() -> None:
    assert f"marked='{DEFAULT[5:-1]}'" in (ROOT / "bin/test").read_text("utf-8")


def test_a_part_of_the_cases_is_in_the_default_tier() -> None:
    cases = tiered(range(10), 3)
    assert [at for at, case in enumerate(cases) if case == at] == [0, 3, 6]
    assert [case.values[0] for case in cases if not isinstance(case, int)] == [1, 2, 4, 5, 7, 8, 9]
    assert tiered("ab", 5) == ["a", "b"]
