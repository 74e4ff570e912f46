"""`evenfleet rollout`: how groups come to another assignor or protocol."""

from typing import Annotated

from spark import terminal
from spark.fleet import as_rows
from spark.rollout import check_target, rollout_fleet, rollout_report, step_for_people, why_not
from spark.terminal import ROWS_SHOWN, Table, busy, option, say, say_all, say_answer, show


def rollout(
    source: terminal.FleetOptions,
    to: Annotated[str, option("cooperative-sticky, or consumer (KIP-848).")],
) -> None:
    """Plan the rolling restarts that change the assignor of groups, in waves, with their cost."""
    check_target(to)
    settings = source.settings
    with source.session() as spark:
        whole = source.fleet(spark)
        fleet = terminal.part_of(whole, source.part)
        with busy(f"rolling {to} out over snapshot {fleet.id}"):
            steps = rollout_fleet(
                fleet, to, settings.consumers, settings.strategy_seconds, whole=whole
            )
            rows = as_rows(steps.orderBy("wave", "cluster", "group", "step"))
    verdict, *notes = rollout_report(rows, to)
    say_answer(verdict)
    shown = [step_for_people(row) for row in rows if row["status"] == "ready"]
    show({"steps": Table(rows, shown, most=ROWS_SHOWN)} | terminal.clusters_read(fleet))
    say_all(notes)
    terminal.print_list("not possible", why_not(rows), is_detail=True)
    if settings.consumers.assumptions:
        say(settings.consumers.assumptions)
    terminal.say_clusters(fleet)
