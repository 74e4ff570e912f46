"""Policies of one group as text to copy: a ScaledObject, a HorizontalPodAutoscaler, a number."""

from __future__ import annotations

import re

from optimizer.scaling import (
    Evenfleet,
    Fixed,
    Hpa,
    Keda,
    Policy,
    Process,
    Rules,
    Totals,
    thresholds,
)

LONGEST_NAME = 63
"""Characters of a name in Kubernetes (RFC 1123 label)."""


def manifest_of(group: str, process: Process, policy: Policy, totals: Totals) -> str:
    """What to apply for a group; the names of its Deployment and of the brokers are to be set."""
    if isinstance(policy, Keda):
        return _kafka_trigger(group, process, policy)
    if isinstance(policy, Hpa):
        return _autoscaler(group, process, policy)
    if isinstance(policy, Evenfleet):
        return _metrics_trigger(group, process, policy)
    if isinstance(policy, Fixed):
        return f"replicas: {totals.most_members}"
    return ""


def _kafka_trigger(group: str, process: Process, policy: Keda) -> str:
    flags = {
        "allowIdleConsumers": policy.allow_idle_consumers,
        "limitToPartitionsWithLag": policy.limit_to_partitions_with_lag,
        "ensureEvenDistributionOfPartitions": policy.ensure_even_distribution_of_partitions,
    }
    lines = [
        *_head("keda.sh/v1alpha1", "ScaledObject", group),
        "  scaleTargetRef:",
        f"    name: {_name(group)}",
        f"  pollingInterval: {policy.polling_interval:.0f}",
        f"  cooldownPeriod: {policy.cooldown_period:.0f}",
        f"  minReplicaCount: {policy.min_replica_count}",
        f"  maxReplicaCount: {min(policy.max_replica_count, process.partitions)}",
        *_behavior(policy.scale_up, policy.scale_down, keda=True),
        "  triggers:",
        "    - type: kafka",
        "      metadata:",
        "        bootstrapServers: kafka:9092 # set yours",
        f"        consumerGroup: {_quoted(group)}",
    ]
    topics = [*process.assignments.topics]
    if len(topics) == 1:
        lines.append(f"        topic: {_quoted(topics[0])}")
    lines.append(f'        lagThreshold: "{thresholds(policy.lag_threshold, [process])[0]:.0f}"')
    lines.append(f'        activationLagThreshold: "{policy.activation_lag_threshold:.0f}"')
    lines += [f'        {name}: "true"' for name, is_set in flags.items() if is_set]
    return "\n".join(lines)


def _autoscaler(group: str, process: Process, policy: Hpa) -> str:
    lines = [
        *_head("autoscaling/v2", "HorizontalPodAutoscaler", group),
        "  scaleTargetRef:",
        "    apiVersion: apps/v1",
        "    kind: Deployment",
        f"    name: {_name(group)}",
        f"  minReplicas: {policy.min_replicas}",
        f"  maxReplicas: {min(policy.max_replicas, process.partitions)}",
        *_behavior(policy.scale_up, policy.scale_down, keda=False),
        "  metrics:",
        "    - type: External",
        "      external:",
        "        metric:",
        "          name: kafka_consumergroup_lag # of your metrics adapter",
        "          selector:",
        "            matchLabels:",
        f"              consumergroup: {_quoted(group)}",
        "        target:",
        "          type: AverageValue",
        f'          averageValue: "{thresholds(policy.average_value, [process])[0]:.0f}"',
    ]
    return "\n".join(lines)


def _metrics_trigger(group: str, process: Process, policy: Evenfleet) -> str:
    """Sizes by rate, that `members` writes as metrics: see docs/metrics.md."""
    query = f"max(evenfleet_members_needed{{group={_quoted(group)}}})"
    lines = [
        *_head("keda.sh/v1alpha1", "ScaledObject", group),
        "  scaleTargetRef:",
        f"    name: {_name(group)}",
        f"  minReplicaCount: {policy.min_members}",
        f"  maxReplicaCount: {min(policy.max_members, process.partitions)}",
        "  advanced:",
        "    horizontalPodAutoscalerConfig:",
        "      behavior:",
        "        scaleDown:",
        f"          stabilizationWindowSeconds: {min(policy.down_seconds, 3600):.0f}",
        "  triggers:",
        "    - type: prometheus",
        "      metricType: AverageValue",
        "      metadata:",
        "        serverAddress: http://prometheus:9090 # set yours",
        f"        query: {_quoted(query)}",
        '        threshold: "1"',
    ]
    return "\n".join(lines)


def _head(version: str, kind: str, group: str) -> list[str]:
    return [
        f"apiVersion: {version}",
        f"kind: {kind}",
        "metadata:",
        f"  name: {_name(group)}",
        "spec:",
    ]


def _behavior(up: Rules, down: Rules, *, keda: bool) -> list[str]:
    """The stabilisation windows and rates, where KEDA's object has them or an HPA's."""
    indent = "      " if keda else "  "
    lines = ["  advanced:", "    horizontalPodAutoscalerConfig:"] if keda else []
    lines.append(f"{indent}behavior:")
    for name, rules in (("scaleUp", up), ("scaleDown", down)):
        lines += [
            f"{indent}  {name}:",
            f"{indent}    stabilizationWindowSeconds: {rules.window_seconds:.0f}",
            f"{indent}    selectPolicy: {rules.select}",
            f"{indent}    policies:",
        ]
        lines += [
            f"{indent}      - {{type: {item.type}, value: {item.value}, "
            f"periodSeconds: {item.period_seconds}}}"
            for item in rules.changes
        ]
    return lines


def _name(group: str) -> str:
    """A name for Kubernetes that the group's name comes to."""
    plain = re.sub(r"[^a-z0-9-]+", "-", group.lower()).strip("-")
    return plain[:LONGEST_NAME].strip("-") or "consumers"


def _quoted(name: str) -> str:
    text = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
