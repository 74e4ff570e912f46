"""Flows and linear programmes: the one door to OR-Tools, which loads when a group needs it."""

from __future__ import annotations

from optimizer.flow.by_levels import cheapest_by_levels as cheapest_by_levels
from optimizer.flow.convex import (
    EXACT_RADIUS as EXACT_RADIUS,
    are_near as are_near,
    dearer_arcs as dearer_arcs,
)
from optimizer.flow.or_tools import (
    MAX_NUMBER as MAX_NUMBER,
    Arcs as Arcs,
    LargestFlow as LargestFlow,
    PriceProgramme as PriceProgramme,
    Takers as Takers,
    cheapest_flow as cheapest_flow,
    fewest_takers as fewest_takers,
    source_side as source_side,
    taken_in as taken_in,
)
