"""Questions to the graph of members, partitions and brokers."""

from spark.graph.answers import Question, answers, sentence_of
from spark.graph.fleet_graph import (
    FleetGraph,
    Grain,
    competitors,
    components,
    coordinate,
    coupled_groups,
    fleet_graph,
    has_graphframes,
    reach,
)
