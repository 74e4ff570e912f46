"""How plans by weight are made and changed; the improvements are lists, one signature each."""

from __future__ import annotations

from optimizer.solver.weighted.moves.improvements import IMPROVEMENTS
from optimizer.solver.weighted.moves.steps import STEPS
