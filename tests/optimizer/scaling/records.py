"""Courses as Kubernetes' HPA and KEDA decide them, and where a policy of ours decides otherwise."""

import json
import lzma
from typing import Any

import numpy as np

from optimizer.scaling import policy_of
from optimizer.scaling.policies.policy import Signals
from tests.optimizer.scaling.processes import process
from tests.paths import DATA

Record = dict[str, Any]
"""`policy` and `behavior` by the names that Kubernetes and KEDA have, the `lags` of each partition
in steps of `seconds`, the members at the `start`, and the `members` after each decision."""


def recorded() -> list[Record]:
    """The courses in the tests' data: 600 of an HPA and 600 of KEDA."""
    with lzma.open(DATA / "scaling.jsonl.xz", "rt") as lines:
        return [json.loads(line) for line in lines]


def differences(record: Record) -> list[str]:
    """A sentence for each decision that is another than the recorded one; empty: all are equal."""
    ours, theirs = decided(record), record["members"]
    if len(ours) != len(theirs):
        return [f"{record['id']}: {len(ours)} decisions, {len(theirs)} are recorded"]
    return [
        f"{record['id']}: {one} members at {record['seconds'] * at} s, {other} are recorded"
        for at, (one, other) in enumerate(zip(ours, theirs, strict=True), start=1)
        if one != other
    ]


def decided(record: Record) -> list[int]:
    """The members after each decision of the record's policy."""
    behavior = {"behavior": record["behavior"]} if "behavior" in record else {}
    policy = policy_of({"kind": record["kind"], **record["policy"], **behavior})
    group = process(partitions=len(record["lags"][0]), recorded=record["start"])
    decider = policy.decider([group])
    assert decider is not None
    members, result = np.array([record["start"]]), []
    for at, lags in enumerate(np.array(record["lags"], float), start=1):
        now, lag = float(record["seconds"] * at), np.array([lags.sum()])
        seen = Signals([now], 0, lag, lags, np.zeros(1), members)
        members = decider.decide(seen)
        result.append(int(members[0]))
    return result
