"""Fleets that an audit reads of a store: the newest that can be read, and the one before."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from pyspark.sql import DataFrame, SparkSession

from spark.audit.fleet_audit import FleetAudit, audit_fleet
from spark.audit.thresholds import AuditSettings
from spark.errors import InputError, UnreadableError, first_line, unreadable_file
from spark.fleet import Composition, FleetSnapshot, Stored, compositions, whole, within_reach
from spark.history import FleetHistory
from spark.store import Where

ENOUGH = 3
"""Snapshots that a history needs at least: two are compared without one."""

T = TypeVar("T")


@dataclass(frozen=True)
class AuditedStore:
    """A store as an audit reads it; `say` prints what is skipped."""

    session: SparkSession
    store: Where
    max_age: timedelta
    say: Callable[[str], None]

    def newest(
        self, snapshot: str | None, work: Callable[[Composition, Composition | None, Stored], T]
    ) -> T:
        """The outcome of `work` on the newest fleet, or `snapshot`, and the one before.

        A snapshot that turns out to be unreadable is skipped, unless it was asked for.
        """
        stored = whole(self.session, self.store, snapshot)
        while True:
            try:
                reach = stored, self.max_age, snapshot
                newest, older = compositions(self.session, self.store, *reach)
                return work(newest, older(), stored)
            except Exception as error:
                broken = _unreadable_snapshot(error)
                if broken is None or broken == snapshot or stored.why_not(broken) is not None:
                    raise
                stored = stored.without(broken)
                if not any(stored.newest_first()):
                    raise
                what = error if isinstance(error, InputError) else f"{broken}: {first_line(error)}"
                self.say(f"Skipped: {what}")

    def audit(
        self,
        fleet: FleetSnapshot,
        before: Composition | None,
        audit_settings: AuditSettings,
        stored: Stored | None,
        rates: DataFrame | None = None,
    ) -> FleetAudit:
        """The audit of a fleet beside the one before; with `stored`, by its history as well."""
        past = self._past(fleet, stored, audit_settings) if stored else None
        return audit_fleet(fleet, self._previous(fleet, before), audit_settings, past, rates)

    def _previous(self, fleet: FleetSnapshot, before: Composition | None) -> FleetSnapshot | None:
        """Part of the fleet before; None if there is none, or it can't be compared."""
        if before is None:
            return None
        try:
            previous = FleetSnapshot.compose(self.session, self.store, before)
            return previous.matching(*fleet.part).validate()
        except UnreadableError:
            raise
        except InputError as error:
            self.say(f"Not compared with the previous snapshot: {error}.")
            return None

    def _past(
        self, fleet: FleetSnapshot, stored: Stored, audit_settings: AuditSettings
    ) -> FleetHistory | None:
        """The snapshots up to that of the fleet, if there are enough for a history."""
        up_to = [snapshot for snapshot in stored.whole if snapshot <= fleet.id]
        if not up_to or len(within_reach(up_to, audit_settings.window)) < ENOUGH:
            return None
        try:
            reach = (audit_settings.reach, fleet.id, self.max_age)
            return FleetHistory.read(self.session, self.store, *reach).matching(*fleet.part)
        except UnreadableError:
            raise
        except InputError as error:
            self.say(f"History findings were skipped: {error}.")
            return None


def _unreadable_snapshot(error: Exception) -> str | None:
    """The snapshot with a file that can't be read, if that is what went wrong."""
    where = str(error) if isinstance(error, UnreadableError) else unreadable_file(error)
    name = re.search(r"/snapshot=([\w.-]+)", where or "")
    return name[1].rstrip(".:") if name else None
