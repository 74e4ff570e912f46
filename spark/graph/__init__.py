"""Questions to the graph of members, partitions and brokers."""

from spark.graph.answers import Question, answers
from spark.graph.fleet_graph import (
    FleetGraph,
    Grain,
    competitors,
    components,
    coupled_groups,
    fleet_graph,
    has_graphframes,
    reach,
)
from spark.graph.packages import coordinate
