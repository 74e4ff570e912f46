"""What reports of tests are made of."""

from dataclasses import replace
from typing import Any

from spark.report import Material

RANGES = ("replicas", "planned", "leaders", "planned_leaders")

HOSTILE = "\"><script>alert(1)</script>\n|=`'*_[x](y)\u202e\u200f" + "x" * 10_000


def finding(at: int, severity: str = "warning", name: str = "orders") -> dict[str, Any]:
    return {
        "cluster": "prod",
        "group": name,
        "subject": f"group {name}",
        "finding": f"kind-{at % 4}",
        "severity": severity,
        "measure": float(at),
        "threshold": 1.0,
        "sentence": f"Group {name} has trouble {at}.",
        "advice": f"Do this about {at}.",
        "command": f"evenfleet explain store --cluster prod --group {name}",
        **{"team": None, "muted": None},
    }


def strategy(name: str, excess: int, moves: int) -> dict[str, Any]:
    return {
        **{"kind": "consumer", "strategy": name, "groups": 7, "not_evaluated": 1},
        **{"uneven": excess // 2, "excess": excess, "moves": moves},
    }


def policy(name: str, cost: float) -> dict[str, Any]:
    return {
        **{"policy": name, "member_hours": 12.5, "late_partition_hours": 0.0, "rebalances": 3},
        **{"meets_slo": 2, "cost": cost, "recommended": 2},
    }


def row(name: str = "orders", **changes: Any) -> dict[str, Any]:
    """A row of the groups' table: one member has 4 partitions where 2 would do."""
    return {
        **{"cluster": "prod", "group": name, "status": "ok", "kind": None, "members": 2},
        **{"partitions": 4, "current_max_load": 4, "current_min_load": 0, "max_load": 2},
        **{"min_load": 2, "moves": 2, "takeovers": 0, "lag": 12, "strategy": "range"},
        "found": [{"severity": "warning", "finding": "kind-1"}],
        "loads": [{"now": 4 - 4 * m, "planned": 2, "member": f"{name}-{m}"} for m in range(2)],
        **{"now_to_best": 2.0, "advice_kind": "setting", "advice_strategy": "cooperative-sticky"},
        "advice": "Set partition.assignment.strategy to cooperative-sticky.",
        "names": [f"10.0.0.{len(name)}", f"{name}-0", f"{name}.events"],
    } | changes


def group(name: str = "orders", topic: str = "t") -> dict[str, Any]:
    return {
        **{"cluster": "prod", "group": name, "status": "ok", "reason": None},
        "cells": [
            {"member": f"{name}-{m}", "topic": topic, "current": 4 - 4 * m, "planned": 2}
            for m in range(2)
        ],
        **{"moves": [f"{topic}-0 moves."], "bounds": ["Nobody else reads it."], "changes": []},
        **{"advice": "", "lag": "Its lag is 12 records.", "hosts": ""},
        "crash": [f"{name} crashes.", "Partitions were unread for 90.0 seconds in all."],
        "frontier": "1 move brings the largest load from 4 to 2.",
        "frontier_points": [
            {"moves": 0, "max_load": 4, "knee": False},
            {"moves": 2, "max_load": 2, "knee": True},
        ],
    }


def material(**changes: Any) -> Material:
    made = Material(
        title="Consumer groups",
        version="1",
        made_at="2026-11-21 06:00 UTC",
        store="store",
        snapshot="20261121T060000Z",
        clusters={"prod": "20261121T060000Z"},
        part="",
        made_by={"strategies": "evenfleet compare store --out COMPARISON"},
        goals="the default goals",
        verdict="0 critical findings and 3 warnings in 10 groups: the fleet is in need of care.",
        statuses={"ok": 7, "empty": 1},
        counts=[{"finding": "kind-1", "critical": 0, "warning": 3, "info": 0}],
        findings=[finding(at, name=name) for at, name in enumerate(("orders", "idle", "away"), 1)],
        not_run={"lag": "the snapshot has no lags"},
        clusters_beside=[
            {
                **{"cluster": "prod", "instant": "20261121T060000Z", "groups": 8, "unplanned": 1},
                **{"uneven": 5, "moves": 17, "findings": 3, "remote": 3, "planned_remote": 1},
                **{"idle": 2, "lag": 2_500_000},
            }
        ],
        league=[strategy("optimal", 0, 17), strategy("current", 12, 0)],
        best="Best: optimal.",
        groups=[row(), row("idle", current_max_load=2, found=None)],
        details=[group()],
        now={"groups": 8, "members": 14, "uneven": 5, "idle": 2, "lag": 2_500_000, "abandoned": 7},
        before={"groups": 7, "members": 15, "uneven": 3, "idle": 2, "lag": None},
    )
    return replace(made, **changes)


def hostile() -> Material:
    """Every name that a fleet may have is hostile."""
    return material(
        title=HOSTILE,
        store=HOSTILE,
        part=HOSTILE,
        clusters={HOSTILE: "20261121T060000Z", "prod": "20261121T060000Z"},
        findings=[finding(at, name=HOSTILE) for at in range(3)],
        groups=[row(HOSTILE, cluster=HOSTILE, strategy=HOSTILE), row(f"{HOSTILE}2")],
        details=[group(HOSTILE, HOSTILE)],
        brokers=[
            {
                **{"cluster": HOSTILE, "status": "planned", "partitions": 6, "copies": 3},
                **{"leader_changes": 2, "optimal": "optimal"},
                **{f"{name}_{end}": 4 for name in RANGES for end in ("min", "max")},
                "brokers": [
                    {**dict.fromkeys(RANGES, 4), "broker": broker, "replicas": 8 - broker}
                    for broker in range(2)
                ],
            },
            {"cluster": "unknown", "status": "refused"},
        ],
        league=[strategy(HOSTILE, 3, 4)],
        scaling=[policy(HOSTILE, 12.5)],
        sizes=[f"Cheapest within the SLO: {HOSTILE}.", f"{HOSTILE} of prod: Set it."],
    )


def with_a_past() -> Material:
    hours = [f"2026-11-21T{hour:02d}:00:00Z" for hour in range(6)]
    return material(
        trend=[
            {"instant": hour, "excess": at, "lag": 100 * at, "generations": at % 2, "uneven": 1}
            for at, hour in enumerate(hours)
        ],
    )


def empty() -> Material:
    """A fleet without a group."""
    return material(
        clusters={},
        statuses={},
        counts=[],
        findings=[],
        clusters_beside=[],
        league=[],
        best="Nothing to compare.",
        groups=[],
        details=[],
        now=dict.fromkeys(("groups", "members", "uneven", "idle"), 0)
        | dict.fromkeys(("lag", "abandoned")),
        before=None,
        verdict="0 groups could be judged: the snapshot has no groups.",
    )


def many_findings() -> Material:
    severities = ("critical", "warning", "info")
    return material(
        counts=[{"finding": "kind-1", "critical": 10_000, "warning": 0, "info": 0}],
        findings=[finding(at, severities[at * 3 // 500]) for at in range(500)],
    )


def two_clusters(groups: int = 40) -> Material:
    rows = [
        row(
            f"g{at}",
            cluster=("prod", "test")[at % 2],
            moves=at,
            found=[{"severity": "critical", "finding": f"kind-{at % 5 + 2}"}],
        )
        for at in range(groups)
    ]
    instants = dict.fromkeys(("prod", "test"), "20261121T060000Z")
    beside = [
        {
            **{"cluster": cluster, "instant": instant, "groups": 20, "unplanned": 0},
            **{"uneven": at + 3, "moves": 9, "findings": 1, "remote": None, "planned_remote": None},
            **{"idle": at, "lag": None},
        }
        for at, (cluster, instant) in enumerate(instants.items())
    ]
    findings = [
        item | {"cluster": ("prod", "test")[at % 2]}
        for at, item in enumerate(many_findings().findings)
    ]
    return replace(
        many_findings(), clusters=instants, groups=rows, clusters_beside=beside, findings=findings
    )


def large(groups: int) -> Material:
    """A fleet of that many groups, each row with what the demo's have."""
    member = "consumer-{}-{:08x}-3940-4fea-acc0-dbdc52df3c80"
    kinds = ("unbalanced-weight", "cross-rack-reads", "hot-partition", "one-leader")
    names = [f"payments-settlement-enricher-{at}" for at in range(groups)]
    members = {name: [member.format(name, m * 99_999_999) for m in range(15)] for name in names}
    rows = [
        row(
            name,
            **{"members": 15, "lag": 1_234_567, "rebalances": 1.5},
            weight=1.6,
            planned_weight=1.0,
            found=[{"severity": "info", "finding": kind} for kind in kinds],
            loads=[{"now": m, "planned": 7, "member": id} for m, id in enumerate(members[name])],
            names=[
                *members[name],
                *(f"10.{at % 250}.{at % 40}.{host}" for host in range(10)),
                *(f"payments.settlement-{(at + topic) % 300}.events" for topic in range(4)),
            ],
        )
        for at, name in enumerate(names)
    ]
    long = "says what is wrong with it, in which topic, since when and how far behind it is. "
    findings = [
        finding(at, name=names[at % groups])
        | {"sentence": f"Group {names[at % groups]} {long * 2}", "advice": long}
        for at in range(min(500, groups))
    ]
    return material(groups=rows, findings=findings)
