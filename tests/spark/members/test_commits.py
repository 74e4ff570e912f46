"""What commit intervals cost the groups of `members_fleet`."""

from spark.members import commit_rows


def test_groups_with_rates_the_fastest_first() -> None:
    rows = [
        {"cluster": "c", "group": "slow", "members": 2, "rate": 10.0},
        {"cluster": "c", "group": "fast", "members": 10, "rate": 1000.0},
        {"cluster": "c", "group": "unknown", "members": 3, "rate": None},
        {"cluster": "c", "group": "empty", "members": 0, "rate": 5.0},
    ]
    costs = commit_rows(rows)
    assert [(row["group"], row["interval"]) for row in costs] == [
        *(("fast", interval) for interval in (1.0, 5.0, 15.0, 60.0)),
        *(("slow", interval) for interval in (1.0, 5.0, 15.0, 60.0)),
    ]
    assert costs[1] == {
        **{"cluster": "c", "group": "fast", "interval": 5.0, "commits": 2.0},
        **{"read_twice": 250.0, "read_twice_most": 500.0},
    }
