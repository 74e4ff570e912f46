"""How many members a group needs."""

from __future__ import annotations

from optimizer.sizes.needed import Needed, needed_for
from optimizer.sizes.readers import Readers, readers_of
from optimizer.sizes.sizes import Size, Sizes, sizes_of

__all__ = ["Needed", "Readers", "Size", "Sizes", "needed_for", "readers_of", "sizes_of"]
