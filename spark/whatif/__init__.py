"""What events would do to each group of a fleet, under each strategy."""

from __future__ import annotations

from spark.whatif.broker_report import broker_report as broker_report
from spark.whatif.brokers import (
    groups_hit as groups_hit,
    leaders_after as leaders_after,
    without_leader as without_leader,
)
from spark.whatif.tables import fleet_of_whatif as fleet_of_whatif
from spark.whatif.text import (
    lag_advice as lag_advice,
    static_advice as static_advice,
    weight_advice as weight_advice,
    whatif_advice as whatif_advice,
)
from spark.whatif.what_if import what_if as what_if
