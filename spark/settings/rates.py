"""Which rates weigh partitions: of what time, and which of them."""

import re
from dataclasses import dataclass
from datetime import timedelta

from spark.errors import InputError
from spark.toml.toml_file import duration

OF = r"^(?:mean|maximum|p[1-9][0-9]?)$"

OF_IN_WORDS = "'mean', 'maximum', or a quantile such as 'p95'"


@dataclass(frozen=True)
class RateWeights:
    """Rates as weights: those of the last `window`, and `of` them the mean, the highest or p95."""

    of: str = "p95"
    window: timedelta = timedelta(hours=24)

    @property
    def measure(self) -> str:
        """The column of a table of rates."""
        return self.of if self.of in ("mean", "maximum") else "quantile"

    @property
    def quantile(self) -> float:
        """Which quantile that column is to have."""
        return int(self.of[1:]) / 100 if self.measure == "quantile" else 0.95


DEFAULT_RATE_WEIGHTS = RateWeights()


def weight_of(text: str, otherwise: RateWeights) -> tuple[str, RateWeights]:
    """Where weights come from, of a text `column`, `lag`, `rate` or `rate:p95:24h`.

    Raises InputError for anything else.
    """
    source, *rest = text.split(":")
    if source not in ("column", "lag", "rate") or (rest and source != "rate") or len(rest) > 2:
        raise InputError(
            f"unknown weight {text!r}: use column (partitions.weight), lag, rate or rate:p95:24h"
        )
    of = rest[0] if rest else otherwise.of
    if not re.match(OF, of):
        raise InputError(f"weight {text!r}: {of!r} is none of {OF_IN_WORDS}")
    try:
        return source, RateWeights(of, duration(rest[1]) if rest[1:] else otherwise.window)
    except ValueError:
        raise InputError(
            f"weight {text!r}: {rest[1]!r} is not a duration (for example 24h)"
        ) from None
