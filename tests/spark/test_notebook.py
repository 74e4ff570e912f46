"""Results as notebooks show them."""

import pytest
from pyspark.sql import SparkSession

from spark import FleetComparison, FleetSnapshot, InputError, audit_fleet, compare_fleet, plan_fleet
from spark.notebook import FIRST, shown_in_notebook
from tests.support.small import small


def test_no_name_breaks_it() -> None:
    name = '"><script>alert(1)</script>\n' + "x" * 10_000
    page = shown_in_notebook([name], ("group", "moves"), [])
    assert "<script" not in page
    rows = [{"group": name, "moves": 1234, "more": None}] * (FIRST + 1)
    page = shown_in_notebook(["A sentence."], ("group", "moves"), rows)
    assert "<script" not in page
    assert "x" * 300 not in page
    assert page.count("<td>1,234</td>") == FIRST
    assert page.endswith(f"<p>The first {FIRST} rows.</p>")


def test_a_plan_shows_and_explains_itself(demo: FleetSnapshot) -> None:
    with plan_fleet(demo) as plan:
        page = plan._repr_html_()
        assert plan.sentence() in page
        assert "largest load now ÷ best possible" in page
        most, *others = plan.worst()
        ratios = [row["now_to_best"] for row in (most, *others)]
        assert ratios == sorted(ratios, reverse=True)
        assert f"<td>{most['group']}</td>" in page
        why = plan.explain(most["cluster"], most["group"])
        assert len(why.moves) == most["moves"]
        assert max(planned for _, planned in why.loads.values()) == most["max_load"]


def test_other_strategies_have_no_reasons(spark: SparkSession) -> None:
    with (
        plan_fleet(small().snapshot(spark), "range") as plan,
        pytest.raises(InputError, match="only a plan that optimal has just made"),
    ):
        plan.explain("c", "g")


def test_a_comparison_shows_the_fleet(spark: SparkSession) -> None:
    without = FleetComparison(compare_fleet(small().snapshot(spark), ["current", "range"]))
    page = without._repr_html_()
    assert without.best() in page
    assert page.count("<tr>") == 1 + without.fleet.count()


def test_an_audit_shows_its_worst_groups(demo: FleetSnapshot) -> None:
    with audit_fleet(demo) as audit:
        page = audit._repr_html_()
        assert audit.uneven_sentence() in page
        worst, *_ = audit.worst_groups()
        assert f"<td>{worst['group']}</td>" in page
