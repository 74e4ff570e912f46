"""Why each partition moves, and why it can't be better."""

from optimizer.reasons.explain import Explanation, explain, explain_by_weight
from optimizer.reasons.reason import held_by
