"""What events would do to each group of a fleet, under each strategy."""

from __future__ import annotations

from spark.whatif.sentences import static_advice, whatif_advice
from spark.whatif.tables import fleet_of_whatif
from spark.whatif.what_if import COMPARED, what_if
from spark.whatif.whatif_row import WhatIfRow

__all__ = ["COMPARED", "WhatIfRow", "fleet_of_whatif", "static_advice", "what_if", "whatif_advice"]
