"""The face of the whole: `import evenfleet`."""

import subprocess
import sys

import pytest

import evenfleet
import optimizer
import spark
from optimizer.assignor import plan_assignor
from optimizer.live.plan_assignor import PlanAssignor
from tests.paths import ROOT


@pytest.mark.parametrize("package", [optimizer, spark])
def test_it_has_the_public_names_of_both_packages(package: object) -> None:
    for name in package.__all__:  # type: ignore[attr-defined]
        assert getattr(evenfleet, name) is getattr(package, name), name
        assert name in dir(evenfleet)


def test_consumers_find_their_assignor_by_either_path() -> None:
    assert evenfleet.PlanAssignor is PlanAssignor is plan_assignor.PlanAssignor
    assert evenfleet.rejoin is plan_assignor.rejoin
    assert plan_assignor.log.name == "optimizer.live.plan_assignor"


def test_an_unknown_name_is_told_as_python_does() -> None:
    with pytest.raises(AttributeError, match="module 'evenfleet' has no attribute 'plan_flet'"):
        evenfleet.plan_flet  # noqa: B018 - looking is the test


FALLS_BACK = """
from evenfleet import PlanAssignor
from tests.optimizer.assignor.leader import Cluster, joined
members = [joined("a", ["t"]), joined("b", ["t"])]
answer = PlanAssignor("/nowhere", "g").assign(Cluster({"t": 4}), members)
assert all(len(one.partitions()) == 2 for one in answer.values())
"""


@pytest.mark.parametrize("program", ["from evenfleet import Group, assign", FALLS_BACK])
def test_one_group_and_consumers_need_neither_spark_nor_ortools(program: str) -> None:
    code = f"import sys\n{program}\nprint(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"pyspark", "pandas", "spark", "ortools", "pyarrow"} & set(loaded)
