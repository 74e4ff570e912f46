"""Numbers as people read them."""

import numpy as np
import pytest

from optimizer.figures import data_size, figure


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((0, "0"), (12, "12"), (1_234_567, "1,234,567"), (np.int64(9_999), "9,999")),
        *((4.1327, "4.133"), (0.05, "0.05"), (1.0, "1"), (99.996, "100"), (999.94, "999.9")),
        *((999.96, "1,000"), (9_999.6, "10,000"), (3_161.0, "3,161"), (-1_500.4, "-1,500")),
        *((None, "–"), (float("nan"), "–")),
    ],
)
def test_whole_numbers_are_exact_and_others_have_four_digits(
    value: float | None, text: str
) -> None:
    assert figure(value) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        *((0, "0 B"), (850, "850 B"), (999.6, "1.00 kB"), (1_000_000, "1.00 MB")),
        *((12_450_000, "12.4 MB"), (999_600_000, "1.00 GB"), (5e14, "500,000 GB")),
    ],
)
def test_bytes_have_three_digits_and_a_unit(size: float, text: str) -> None:
    assert data_size(size) == text
