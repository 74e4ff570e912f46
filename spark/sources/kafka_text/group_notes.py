"""What whoever imports consumer groups should know about the text they were read from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from spark.sources.kafka_text.captures import ConsumerGroup
from spark.text import named


@dataclass
class Oddities:
    """What was met while reading, beside the groups."""

    absent_groups: set[str] = field(default_factory=set)
    named_after_file: set[str] = field(default_factory=set)
    owner_columns: set[str] = field(default_factory=set)
    """files whose members go by OWNER"""
    errors: list[str] = field(default_factory=list)


def notes_on(groups: Iterable[ConsumerGroup], oddities: Oddities) -> Iterator[str]:
    """Sentences, each about all the groups or files that it holds for."""
    yield from oddities.errors
    if oddities.absent_groups:
        yield f"Kafka says that {named('group', oddities.absent_groups)} did not exist."
    if oddities.named_after_file:
        yield (
            f"{named('file', oddities.named_after_file)} without group names, as Kafka's are "
            "before 2.3: the group is named after the file."
        )
    if oddities.owner_columns:
        yield (
            f"{named('file', oddities.owner_columns)} of a Kafka before 0.10.2, which prints "
            "client id and host as OWNER and no member id: members that share both are taken for "
            "one."
        )
    yield from _notes_on_groups(list(groups))


def _notes_on_groups(groups: list[ConsumerGroup]) -> Iterator[str]:
    if not groups:
        yield "No consumer group was found."
    if result := [group.name for group in groups if group.captures_disagree()]:
        yield (
            f"The captures of {named('group', result)} do not agree about state, members or "
            "owners: they are of different moments, or lines are missing. The last value "
            "counts, and a group once seen rebalancing stays so. Take "
            "all views at one time for a sound plan."
        )
    if result := [group.name for group in groups if group.owners_missing()]:
        yield (
            f"Nothing says which partitions the members of {named('group', result)} own: the "
            "members view has them with --verbose only, and in 3.8 and 3.9 without the topics' "
            "names. Add the offsets view of these groups."
        )
    if result := [group.name for group in groups if group.members_missing()]:
        yield (
            f"The state view counts more members in {named('group', result)} than the other views "
            "show: members without partitions are in the members view alone. Add it."
        )
    if result := [group.name for group in groups if group.offsets_differ]:
        yield (
            f"The offsets of {named('group', result)} were given more than once, with other "
            "values: the last ones count."
        )
