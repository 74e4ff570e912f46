"""Why a partition moves, as facts and as a sentence."""

from dataclasses import dataclass

from optimizer.figures import counted


@dataclass(frozen=True)
class Step:
    """A partition that goes from one member to another; `giver` is None if none could keep it."""

    topic: str
    partition: int
    giver: str | None
    taker: str

    @property
    def name(self) -> str:
        return f"{self.topic}-{self.partition}"


@dataclass(frozen=True)
class HostLoads:
    """A host, and how many partitions its members had and will have together."""

    host: str
    before: int
    after: int

    def __str__(self) -> str:
        return f"{self.host} {self.after} (was {self.before})"


@dataclass(frozen=True)
class Reason:
    """Why a partition moves: the path that it is a step of, `path[place]`.

    `loads` has for each member of the path how many partitions it had (that it may keep) and will
    have. `fewer_remote` is by how many fewer partitions of the path are read across racks, and
    `less_spread` by how much Σ (partitions of a topic that a member has)² is less. `on_hosts` has
    the hosts that the path leads from and to, where they get more even by it.
    `barred`: the path's last member doesn't subscribe to the topic of the step before, or, at the
    first place, of this one, so that it couldn't have had that partition directly.

    `cause` is
    "balance": load flows from the first member, who had more than the last and still has no less;
    "room": the first partition had no owner, and its taker passes another one on to the last;
    "racks": going back, more would be read across racks, and the balance would be as good
    (`is_even`) or better (not in an optimal plan);
    "hosts": going back, partitions would be spread less evenly over hosts, and the balance be so;
    "spread": going back, topics would be spread less evenly, and the balance be so likewise;
    "limits": going back isn't allowed by the goals' limits;
    "nothing": going back would be no worse for any of these (not in an optimal plan).
    """

    path: tuple[Step, ...]
    place: int
    cause: str
    loads: dict[str, tuple[int, int]]
    fewer_remote: int
    less_spread: int
    barred: bool
    on_hosts: tuple[HostLoads, HostLoads] | None = None

    @property
    def step(self) -> Step:
        return self.path[self.place]

    @property
    def is_even(self) -> bool:
        """Whether going back would leave the balance as good."""
        first, last = self.path[0].giver, self.path[-1].taker
        if first is None or first == last:
            return True
        return self.loads[first][1] + 1 == self.loads[last][1]

    def __str__(self) -> str:
        step, last = self.step, self.path[-1].taker
        start = f"{step.name} moves from {self._had(step.giver)} to "
        if self.cause == "limits":
            return f"{start}{self._had(step.taker)}: {self.beside_loads}"
        if self.cause == "nothing":
            return f"{start}{self._had(step.taker)}: nothing is gained by that"
        if self.beside_loads:
            around = "" if len(self.path) == 1 else f" along {self._along()}"
            cost = "at equal balance" if self.is_even else "at the cost of balance"
            return f"{start}{self._had(step.taker)}: {cost}{around}, {self.beside_loads}"
        if len(self.path) == 1:
            before, after = (self.loads[member][1] for member in (str(step.giver), step.taker))
            return f"{start}{self._had(step.taker)}: they will have {before} and {after}"
        if self.place == 0:
            bar = f" and doesn't subscribe to {step.topic}" if self.barred else ""
            return (
                f"{start}{step.taker}, which passes {self.path[1].name} on: the load goes along "
                f"{self._along()}, which had {self.loads[last][0]}{bar}"
            )
        room = self.path[self.place - 1]
        origin = f"comes from {self._had(room.giver)}" if room.giver else "had no owner"
        bar = f"; {last} doesn't subscribe to {room.topic}" if self.barred else ""
        return (
            f"{step.name} moves from {step.giver} to {self._had(step.taker)}: it makes room on "
            f"{step.giver} for {room.name}, which {origin}{bar}"
        )

    @property
    def beside_loads(self) -> str:
        """What the move is for where loads don't tell; else nothing."""
        if self.cause == "limits":
            return "its limits take that"
        if self.cause == "hosts" and self.on_hosts:
            return "hosts get more even: {} and {}".format(*self.on_hosts)
        if self.cause == "spread":
            return "topics are spread more evenly"
        remote = self.cause in ("racks", "hosts")
        return f"{counted(self.fewer_remote, 'fewer read')} across racks" if remote else ""

    def _had(self, member: str | None) -> str:
        return f"{member}, which had {self.loads[str(member)][0]},"

    def _along(self) -> str:
        return " → ".join([str(self.path[0].giver), *(step.taker for step in self.path)])
