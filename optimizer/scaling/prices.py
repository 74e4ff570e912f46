"""What a course of sizes costs, when a partition is late, and how often one may be: the SLO."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Prices:
    """Prices in any unit; the defaults count in member-hours.

    A partition is late while its lag is above `late_after` seconds: its records behind ÷ the
    records a second that come in (at least its mean rate). `on_time` is the share of the time in
    which no partition is late under a course that meets the SLO; 0 asks for nothing.
    """

    member_hour: float = 1.0
    late_partition_hour: float = 10.0
    rebalance: float = 0.05
    late_after: float = 60.0
    on_time: float = 0.99

    def cost(self, member_hours: float, late_partition_hours: float, rebalances: int) -> float:
        """The price of a course."""
        return (
            self.member_hour * member_hours
            + self.late_partition_hour * late_partition_hours
            + self.rebalance * rebalances
        )
