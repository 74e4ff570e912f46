"""How many members a group needs."""

from __future__ import annotations

from optimizer.sizes.commits import CommitCost as CommitCost, commit_curve as commit_curve
from optimizer.sizes.needed import Needed as Needed, needed_for as needed_for
from optimizer.sizes.sizes import Sizes as Sizes, sizes_of as sizes_of
from optimizer.sizes.split import Side as Side, Split as Split, split_of as split_of
