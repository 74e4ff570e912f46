"""Text that was cut, joined, shuffled or overwritten: lines are reported, nothing else breaks."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from spark.errors import InputError
from spark.sources.kafka_text.cli_text import read_cli_text
from tests.support.tiers import tiered

VIEWS = ("members_verbose", "offsets_plain", "state", "list_state")
ODDITIES = ["\x1b[31m", "\ufeff", "'", "- ", "   ", *",;:()", "\t", "é", "999999999999"]


def damaged(text: str, random: Random) -> str:
    """The text with a few of its lines cut, doubled, joined, lost, moved or written into."""
    lines = text.splitlines()
    for _ in range(random.randint(1, 12)):
        at = random.randrange(len(lines))
        column = random.randint(0, len(lines[at]))
        match random.randrange(6):
            case 0:
                lines[at] = lines[at][:column]
            case 1:
                lines[at] = lines[at][:column] + random.choice(ODDITIES) + lines[at][column:]
            case 2:
                lines.insert(at, lines[at])
            case 3:
                lines[at] += lines[random.randrange(len(lines))]
            case 4 if len(lines) > 1:
                del lines[at]
            case _:
                lines.insert(at, lines.pop(random.randrange(len(lines))))
    return "\n".join(lines)


@pytest.mark.parametrize("seed", tiered(range(150), 30))
def test_damage_never_breaks_the_reading(
    captures: Path, write: Callable[..., Path], seed: int
) -> None:
    random = Random(seed)
    files = [
        write(f"{view}.txt", damaged((captures / f"{view}.txt").read_text(), random))
        for view in VIEWS
    ]
    topics = write("topics.txt", damaged((captures / "topics.txt").read_text(), random))
    try:
        read = read_cli_text("c", [topics], files)
    except InputError:
        return
    tables = {name: table.to_pylist() for name, table in read.tables.items()}
    members = {(row["group"], row["member_id"]) for row in tables["members"]}
    groups = {row["group"] for row in tables["groups"]}
    assert {group for group, _ in members} <= groups
    for name in ("subscriptions", "assignments"):
        assert {(row["group"], row["member_id"]) for row in tables[name]} <= members
    partitions = [(row["topic"], row["partition"]) for row in tables["partitions"]]
    assert len(partitions) == len(set(partitions))
    for row in tables["partitions"] + tables["assignments"]:
        assert 0 <= row["partition"] < 2**31
