"""What events would do to each group of a fleet, under each strategy."""

from spark.whatif.tables import (
    fleet_for_people,
    fleet_of_whatif,
    group_for_people,
    lag_for_people,
    whatif_advice,
)
from spark.whatif.what_if import WhatIfResult, events_of, what_if, whatif_result
