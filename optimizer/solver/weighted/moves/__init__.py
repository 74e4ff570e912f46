"""How plans by weight are made and changed; the improvements are lists, one signature each."""

from optimizer.solver.weighted.moves.improvements import IMPROVEMENTS
from optimizer.solver.weighted.moves.steps import STEPS
