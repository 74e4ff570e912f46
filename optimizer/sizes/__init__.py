"""How many members a group needs."""

from optimizer.sizes.needed import CommitCost, Needed, commit_curve, needed_for
from optimizer.sizes.sizes import Sizes, sizes_of
from optimizer.sizes.split import Side, Split, split_of
