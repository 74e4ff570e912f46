"""What events would do to each group of a fleet, under each strategy."""

from __future__ import annotations

from spark.whatif.result import WhatIfResult as WhatIfResult, whatif_result as whatif_result
from spark.whatif.tables import (
    fleet_for_people as fleet_for_people,
    fleet_of_whatif as fleet_of_whatif,
    group_for_people as group_for_people,
    lag_for_people as lag_for_people,
)
from spark.whatif.text import whatif_advice as whatif_advice
from spark.whatif.what_if import what_if as what_if
