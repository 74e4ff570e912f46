"""Questions to the graph of members, partitions and brokers."""

from __future__ import annotations

from spark.graph.answers import (
    Question as Question,
    answers as answers,
)
from spark.graph.fleet_graph import (
    FleetGraph as FleetGraph,
    Grain as Grain,
    competitors as competitors,
    components as components,
    coupled_groups as coupled_groups,
    fleet_graph as fleet_graph,
    has_graphframes as has_graphframes,
    reach as reach,
)
from spark.graph.packages import coordinate as coordinate
