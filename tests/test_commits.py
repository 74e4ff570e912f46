"""The subjects of a branch's commits, as CONTRIBUTING asks for them."""

import pytest

from tests.branch import fault_of, subjects


@pytest.mark.parametrize(
    ("subject", "fault"),
    [
        ("Read the states of a fleet once", None),
        ("Pass names whole to CSV", None),
        ("Modules with a noun stand apart again", "'modules' is no imperative"),
        ("Fixed the lag of empty groups", "'fixed' is no imperative"),
        ("The offsets topic is named once", "'the' is no imperative"),
        ("docs: settings for sessions", "it doesn't begin with a verb in upper case"),
        ("Read the states of a fleet once.", "it ends with a full stop"),
        ("Read " + "all " * 17, "73 characters: say it in 70"),
    ],
)
def test_a_subject_is_a_short_imperative(subject: str, fault: str | None) -> None:
    told = fault_of(subject)
    assert told is None if fault is None else (told or "").startswith(fault)


def test_subjects_of_this_branch_keep_to_the_rule() -> None:
    """Where there is a main to compare with; main itself has none of its own."""
    assert {subject: fault for subject in subjects() if (fault := fault_of(subject))} == {}
