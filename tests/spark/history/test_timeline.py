"""How long what was seen may be taken to have held."""

from datetime import timedelta

import pytest

from spark.history import Timeline, seconds_between

HOUR = 3600


def test_what_is_seen_holds_until_the_next_snapshot_of_its_cluster() -> None:
    ids = ["20261121T000000Z", "20261121T010000Z", "20261121T030000Z"]
    timeline = Timeline({"c": ids, "d": ids[::2]})
    assert timeline.known_seconds("c", 0, 0) == HOUR
    assert timeline.known_seconds("c", 0, 1) == 3 * HOUR
    assert timeline.known_seconds("c", 2, 2) == 0
    assert timeline.known_seconds("d", 0, 1) == 3 * HOUR
    assert timeline.last("d") == 1


def test_of_a_week_without_a_look_one_day_is_known() -> None:
    ids = ["20261101T000000Z", "20261108T000000Z", "20261108T060000Z"]
    timeline = Timeline({"c": ids}, max_age=timedelta(hours=24))
    assert timeline.known_seconds("c", 0, 0) == 24 * HOUR
    assert timeline.known_seconds("c", 0, 2) == 30 * HOUR


def test_ids_that_are_no_times_have_nothing_between_them() -> None:
    assert seconds_between("20261121T000000Z", "20261121T000130Z") == 90
    with pytest.raises(ValueError, match="is no time"):
        seconds_between("before", "20261121T000130Z")
