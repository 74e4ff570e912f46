"""The extreme of the last minutes against a look at all that was remembered."""

import numpy as np
import pytest

from optimizer.scaling.policies.window import Extreme, Window


@pytest.mark.parametrize("extreme", [np.maximum, np.minimum])
@pytest.mark.parametrize("seconds", [0.0, 10.0, 45.0, 300.0])
@pytest.mark.parametrize("is_closed", [False, True])
def test_it_is_that_of_all_younger_ones(extreme: Extreme, seconds: float, is_closed: bool) -> None:
    """At times that are near each other and far apart; as old as the window: in a closed one."""
    rng = np.random.default_rng(round(seconds))
    window, remembered, now = Window(seconds, extreme, is_closed), [], 0.0
    for _ in range(500):
        now += float(rng.choice([5.0, 15.0, 15.0, 400.0]))
        values = rng.integers(0, 100, 3)
        young = [
            item
            for at, item in remembered
            if at > now - seconds or (is_closed and at == now - seconds)
        ]
        expected = values
        for item in young:
            expected = extreme(expected, item)
        assert window.of(now, values).tolist() == expected.tolist()
        window.add(now, values)
        remembered.append((now, values))
