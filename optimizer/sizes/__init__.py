"""Members that a group needs."""

from optimizer.sizes.needed import (
    CommitCost,
    Needed,
    Side,
    Split,
    commit_curve,
    needed_for,
    split_of,
)
from optimizer.sizes.sizes import Sizes, sizes_of
