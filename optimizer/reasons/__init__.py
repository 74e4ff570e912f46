"""Why each partition moves, and why it can't be better."""

from optimizer.reasons.bounds import held_by
from optimizer.reasons.explain import Explanation, explain, explain_by_weight
