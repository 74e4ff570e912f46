"""The HPA and KEDA decide as a port of Kubernetes' and KEDA's code did, course by course."""

from typing import Any

import pytest

from tests.optimizer.scaling.records import Record, differences, recorded
from tests.support.tiers import tiered


@pytest.fixture(scope="module")
def courses() -> list[Record]:
    return recorded()


@pytest.mark.parametrize("kind", ["hpa", "keda"])
@pytest.mark.parametrize("share", tiered(range(5), 1))
def test_every_decision_is_as_recorded(courses: list[Record], kind: str, share: int) -> None:
    of_kind = [record for record in courses if record["kind"] == kind]
    assert len(of_kind) == 600
    assert [text for record in of_kind[share::5] for text in differences(record)] == []


@pytest.mark.parametrize(
    ("changed", "differ"),
    [
        ({"start": 20}, "20 members at 15 s, 6 are recorded"),
        ({"members": [2] * 60}, "61 decisions, 60 are recorded"),
    ],
)
def test_a_record_that_was_changed_differs(
    courses: list[Record], changed: dict[str, Any], differ: str
) -> None:
    record = next(record for record in courses if record["kind"] == "hpa")
    assert differ in differences(record | changed)[0]
