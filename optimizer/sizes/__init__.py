"""How many members a group needs."""

from optimizer.sizes.commits import CommitCost, commit_curve
from optimizer.sizes.needed import Needed, needed_for
from optimizer.sizes.sizes import Sizes, sizes_of
from optimizer.sizes.split import Side, Split, split_of
