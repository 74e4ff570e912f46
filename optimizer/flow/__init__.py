"""Flows and linear programmes: the one door to OR-Tools, which loads when a group needs it."""

from optimizer.flow.convex import EXACT_RADIUS, are_near, cheapest_by_levels, dearer_arcs
from optimizer.flow.or_tools import (
    MAX_NUMBER,
    Arcs,
    LargestFlow,
    PriceProgramme,
    Takers,
    cheapest_flow,
    fewest_takers,
    source_side,
    taken_in,
)
