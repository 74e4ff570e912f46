"""Plans of many groups in a folder: a file a group, and an index of them.

`FOLDER/CLUSTER/GROUP.json` is the plan of a group; what a file system wouldn't take in a name is
spelled `%2F`. `FOLDER/index.json` is a JSON object: `format` ("evenfleet-plan-index"), `version`
(1), `snapshot` (the newest exported), `plans` and `without_plan`, lists of objects with `cluster`
and `group`; those of `plans` have the `file` (as in a URL below the folder), its `snapshot`,
`protocol`, `topics`, and numbers of `members` and `partitions`, those of `without_plan` a
`kind` and a `reason`. `ignored` is a list like `without_plan`: of groups that would ignore their
plan, and why.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from optimizer.assignor.plan_file import CONSUMER, GroupPlan, PlanFileError
from optimizer.figures import plural
from spark.enforce.export import CONNECTED, FOREIGN, NAMELESS, SHARED, Exported, NoPlan
from spark.errors import InputError
from spark.patterns import matches
from spark.store import read_whole, replace_text, writing
from spark.text import list_of

INDEX, FORMAT, VERSION = "index.json", "evenfleet-plan-index", 1
LONGEST = 200
"""Bytes of a file's name; file systems take 255, and a file half written has a longer one."""
NO_ASSIGNOR = "they ignore it: no PlanAssignor yet"
NO_BROKER_ASSIGNOR = "they ignore it: no assignor for plans in the brokers"


@dataclass(frozen=True)
class PlanEntry:
    """A plan in a folder; `file` is its path below the folder as a URL has it."""

    cluster: str
    group: str
    file: str
    snapshot: str
    protocol: str
    topics: list[str]
    members: int
    partitions: int


CURES = {
    **dict.fromkeys((SHARED, NAMELESS), "give each its own group.instance.id"),
    **{FOREIGN: "export the snapshot that was planned", CONNECTED: "their leader assigns tasks"},
    **{"empty": "export again when it has members", "rebalancing": "plan it when it is stable"},
    **{NO_ASSIGNOR: "docs/plan_in_force.md", NO_BROKER_ASSIGNOR: "docs/java_consumers.md"},
}
"""Cures for a kind of groups; for others `explain` says what is wrong."""


@dataclass(frozen=True)
class Written:
    """The outcome of writing plans into a folder: how many are new, changed, unchanged.

    Groups `without` a plan, and those whose plan is `ignored`, have a reason; others `follow`
    theirs. Earlier plans of groups were `removed`.
    """

    path: Path
    snapshot: str
    outcomes: Counter[str] = field(default_factory=Counter)
    without: list[NoPlan] = field(default_factory=list)
    ignored: list[NoPlan] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    follow: list[str] = field(default_factory=list)

    def summary(self, groups: int) -> str:
        """Of these `groups`, those that have a plan now, and those that follow it."""
        plans, follow = self.outcomes.total(), len(self.follow)
        return (
            f"{plans:,} of {plural(groups, 'group')} {'gets' if plans == 1 else 'get'} a plan; "
            f"{follow:,} {'follows' if follow == 1 else 'follow'} it today."
        )

    def kinds(self) -> list[dict[str, Any]]:
        """A row a reason for which groups have no plan or ignore it, the commonest first."""
        counts = Counter(plan.kind for plan in (*self.without, *self.ignored)).most_common()
        look = "see `evenfleet explain`"
        return [{"groups": n, "why": why, "what to do": CURES.get(why, look)} for why, n in counts]

    def report(self) -> Iterator[str]:
        """Sentences on the plans in the folder now, and on those that are gone from it."""
        how = ", ".join(
            f"{self.outcomes[outcome]} {outcome}" for outcome in ("new", "changed", "unchanged")
        )
        yield f"{self.path / INDEX} lists the plans of snapshot {self.snapshot}: {how}."
        if self.removed:
            of = list_of("group", self.removed)
            yield f"Removed the earlier plans of {of}, which have none now."


class PlanFolder:
    """A folder of plans, read when it is opened; `entries` are those of its index.

    Raises InputError if there is an index that isn't one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if _is_below_one(path):
            raise InputError(
                f"{path} is one cluster's part of a folder of plans: name the folder "
                f"{path.absolute().parent}, and choose cluster {path.absolute().name!r}"
            )
        self._entries: dict[tuple[str, str], PlanEntry] = _read_index(path / INDEX)

    @property
    def entries(self) -> list[PlanEntry]:
        """By cluster and group."""
        return [self._entries[key] for key in sorted(self._entries)]

    def matching(self, pattern: str = "*", cluster: str | None = None) -> list[PlanEntry]:
        """Entries of groups whose names fit, and of one cluster, if one is given."""
        return [
            entry
            for entry in self.entries
            if matches(pattern, entry.group) and cluster in (None, entry.cluster)
        ]

    def read(self, entry: PlanEntry) -> GroupPlan:
        """Raises InputError when there is no sound plan of that group."""
        file = self._place(entry.file)
        try:
            plan = GroupPlan.from_text(read_whole(file))
        except (OSError, PlanFileError) as error:
            raise InputError(f"there is no plan in {file}: {error}") from None
        if (plan.cluster, plan.group) != (entry.cluster, entry.group):
            raise InputError(f"{file} has the plan of group {plan.group!r}, not {entry.group!r}")
        return plan

    def put(self, plan: GroupPlan) -> str:
        """Write a plan, unless it is there already; returns "new", "changed" or "unchanged".

        A plan that differs by its snapshot alone is the one that is there.
        """
        key = (plan.cluster, plan.group)
        file = self._place(name := file_of(*key))
        before = _plan_in(file)
        if before is not None and replace(before, snapshot=plan.snapshot) == plan:
            plan, outcome = before, "unchanged"
        else:
            with writing(file):
                file.parent.mkdir(parents=True, exist_ok=True)
            replace_text(file, plan.to_text())
            outcome = "new" if before is None else "changed"
        topics = plan.topics
        self._entries[key] = PlanEntry(
            *(*key, name, plan.snapshot, plan.protocol, sorted(topics)),
            *(len(plan.members), sum(topics.values())),
        )
        return outcome

    def write(
        self, snapshot: str, plans: Iterable[Exported | NoPlan], pattern: str = "*"
    ) -> Written:
        """Put plans into the folder, and write the index unless there are none.

        Earlier plans of groups that fit the pattern, of the same clusters, are removed where there
        are none now: groups would follow them.
        """
        written = Written(self.path, snapshot)
        earlier = {(entry.cluster, entry.group): entry for entry in self.matching(pattern)}
        clusters = set()
        for export in plans:
            clusters.add(export.cluster)
            if isinstance(export, NoPlan):
                written.without.append(export)
                continue
            earlier.pop((export.cluster, export.plan.group), None)
            if not written.outcomes:
                with writing(self.path):
                    self.path.mkdir(exist_ok=True)
            written.outcomes[self.put(export.plan)] += 1
            if export.ignored:
                kind = NO_BROKER_ASSIGNOR if export.plan.protocol == CONSUMER else NO_ASSIGNOR
                written.ignored.append(
                    NoPlan(export.cluster, export.plan.group, kind, export.ignored)
                )
            elif export.follows:
                written.follow.append(export.plan.group)
        for key, entry in earlier.items():
            if entry.cluster in clusters:
                with writing(file := self._place(entry.file)):
                    file.unlink(missing_ok=True)
                del self._entries[key]
                written.removed.append(entry.group)
        if written.outcomes or written.removed:
            self.finish(snapshot, written.without, written.ignored)
        return written

    def finish(
        self, snapshot: str, without_plan: Iterable[NoPlan], ignored: Iterable[NoPlan] = ()
    ) -> None:
        """Write the index; plans of groups that weren't exported now stay in it."""
        lists = {
            "plans": [asdict(entry) for entry in self.entries if self._place(entry.file).exists()],
            "without_plan": [asdict(row) for row in without_plan],
            "ignored": [asdict(row) for row in ignored],
        }
        head = {"format": FORMAT, "version": VERSION, "snapshot": snapshot}
        parts = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
        parts += [
            f"{json.dumps(key)}: [\n" + ",\n".join(f"  {json.dumps(row)}" for row in rows) + "\n]"
            for key, rows in lists.items()
        ]
        text, file = "{\n" + ",\n".join(parts) + "\n}\n", self.path / INDEX
        if not file.is_file() or read_whole(file) != text.encode():
            replace_text(file, text)

    def _place(self, file: str) -> Path:
        return self.path.joinpath(*(unquote(part) for part in file.split("/")))


def file_of(cluster: str, group: str) -> str:
    """Where a group's plan is below its folder, as a URL has it."""
    return f"{quote(_name(cluster))}/{quote(_name(group))}.json"


def _name(name: str) -> str:
    """A name that every file system takes; of a long one the beginning, and a hash."""
    safe = quote(name, safe=" ()[]{}!$&'+,;=@")
    if safe[:1] in (".", " "):
        safe = f"%{ord(safe[0]):02X}{safe[1:]}"
    if len(safe) <= LONGEST:
        return safe
    return f"{safe[: LONGEST - 20]}-{sha256(name.encode()).hexdigest()[:16]}"


def _plan_in(file: Path) -> GroupPlan | None:
    try:
        return GroupPlan.from_text(read_whole(file))
    except (OSError, PlanFileError):
        return None


def _is_below_one(path: Path) -> bool:
    """Whether a folder is that of a cluster, which may have a group `index`."""
    with suppress(InputError):
        listed = _read_index(path.absolute().parent / INDEX).values()
        return any(
            unquote(entry.file.partition("/")[0]) == path.absolute().name for entry in listed
        )
    return False


def _read_index(file: Path) -> dict[tuple[str, str], PlanEntry]:
    try:
        index = json.loads(read_whole(file))
        if index["format"] != FORMAT or index["version"] != VERSION:
            raise ValueError("it is none of this version")
        return {(plan["cluster"], plan["group"]): _entry(plan) for plan in index["plans"]}
    except FileNotFoundError:
        return {}
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{file} is no index of plans: {error}") from None


def _entry(row: dict[str, Any]) -> PlanEntry:
    entry = PlanEntry(**{name: row[name] for name in PlanEntry.__dataclass_fields__})
    if entry.file != file_of(entry.cluster, entry.group):
        raise ValueError(f"the plan of group {entry.group!r} can't be in {entry.file}")
    return entry
