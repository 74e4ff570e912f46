"""Snapshots that go: told to be gone first, then taken out, then deleted."""

from __future__ import annotations

import shutil

from spark.files.locked_run import (
    REMOVING,
    REPLACED,
    LockedRun,
    moving,
    next_version,
    take_out_removed,
)
from spark.files.manifest import Manifest


class LocalRemoval(LockedRun):
    """Removes snapshots of a local folder, all of `owned` tables that they have.

    The snapshot's manifest says first that they are removed, which is one step: from then on no
    reader takes what is left for a snapshot. Then its folders are moved into the run's own, each as
    one step, and deleted there; the manifest goes last. Whoever writes to the folder next does what
    a run that was killed has left to do.
    """

    to_become = "removed"

    def remove(self, snapshot: str, seen: Manifest | None) -> bool:
        """Remove one; False if a run has written or removed it since `seen` was its manifest."""
        to_do = self.path / REMOVING / f"snapshot={snapshot}"
        to_do.mkdir(parents=True)
        with moving(self.place):
            version = next_version(self.place, snapshot)
            unchanged = self.place.manifest(snapshot) == seen
            if not (unchanged and self.put(snapshot, Manifest(version, {}, sorted(self.owned)))):
                to_do.rmdir()
                return False
            take_out_removed(self.place, self.path, snapshot)
        shutil.rmtree(self.path / REPLACED, ignore_errors=True)
        return True
