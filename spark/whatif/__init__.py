"""Effects of events on each group of a fleet, under each strategy."""

from spark.whatif.brokers import broker_report
from spark.whatif.tables import (
    fleet_for_people,
    fleet_of_whatif,
    group_for_people,
    static_advice,
    whatif_advice,
    whatif_notes,
)
from spark.whatif.what_if import WhatIfResult, events_of, what_if, whatif_result
