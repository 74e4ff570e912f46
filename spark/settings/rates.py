"""Which rates weigh partitions: of what time, and which of them."""

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from spark.errors import InputError
from spark.settings.duration import DURATION, duration, in_words
from spark.settings.toml_file import Rule, table, value

_QUANTILE = re.compile(r"p([1-9][0-9]?)")

_OF = "'mean', 'maximum', or a quantile such as 'p95'"


@dataclass(frozen=True)
class RateWeights:
    """Rates as weights: those of the last `window`, and `of` them the mean, the highest or p95."""

    of: str = "p95"
    window: timedelta = timedelta(hours=24)

    @property
    def measure(self) -> str:
        """The column of a table of rates."""
        return "quantile" if _QUANTILE.fullmatch(self.of) else self.of

    @property
    def quantile(self) -> float:
        """Which quantile that column is to have."""
        found_text = _QUANTILE.fullmatch(self.of)
        return int(found_text[1]) / 100 if found_text else 0.95


DEFAULT_RATE_WEIGHTS = RateWeights()


def read_rate_weights(values: dict[str, Any]) -> RateWeights:
    """From the table [weights] of a file that has no faults."""
    return RateWeights(
        of=values.get("of", DEFAULT_RATE_WEIGHTS.of),
        window=duration(values.get("window", in_words(DEFAULT_RATE_WEIGHTS.window))),
    )


def _is_of(settings: Any) -> bool:
    is_text = isinstance(settings, str)
    return is_text and (settings in ("mean", "maximum") or bool(_QUANTILE.fullmatch(settings)))


RATE_WEIGHTS_RULE: Rule = table({"of": value(_is_of, _OF), "window": DURATION})


def weight_of(text: str, otherwise: RateWeights) -> tuple[str, RateWeights]:
    """Where weights come from, of a text `column`, `lag`, `rate` or `rate:p95:24h`.

    Raises InputError for anything else.
    """
    source, *rest = text.split(":")
    if source not in ("column", "lag", "rate") or (rest and source != "rate") or len(rest) > 2:
        raise InputError(
            f"weight {text!r} is none of column (partitions.weight), lag, and rate, "
            "which may be told as rate:p95:24h"
        )
    of = rest[0] if rest else otherwise.of
    if not _is_of(of):
        raise InputError(f"weight {text!r}: {of!r} is none of {_OF}")
    if len(rest) < 2:
        return source, RateWeights(of, otherwise.window)
    try:
        return source, RateWeights(of, duration(rest[1]))
    except ValueError:
        raise InputError(
            f"weight {text!r}: {rest[1]!r} is not a duration (for example 24h)"
        ) from None
