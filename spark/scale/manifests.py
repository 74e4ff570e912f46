"""Settings as text: objects of Kubernetes and KEDA."""

import re

from optimizer.scaling import (
    NO_BEHAVIOR,
    SCALE_DOWN,
    TOLERANCE,
    WEEK_SECONDS,
    Evenfleet,
    Fixed,
    Hpa,
    Keda,
    Policy,
    Process,
    Totals,
    thresholds,
)

LONGEST_NAME = 63
"""Characters of a name in Kubernetes (RFC 1123 label)."""


def head(version: str, kind: str, group: str) -> list[str]:
    """The lines of an object that scales a group's Deployment, down to what it scales."""
    return [
        f"apiVersion: {version}",
        f"kind: {kind}",
        "metadata:",
        f"  name: {name_of(group)}",
        "spec:",
        "  scaleTargetRef:",
        f"    name: {name_of(group)}",
    ]


def name_of(group: str) -> str:
    """A name for Kubernetes that the group's name comes to."""
    plain = re.sub(r"[^a-z0-9-]+", "-", group.lower()).strip("-")
    return plain[:LONGEST_NAME].strip("-") or "consumers"


def quote(text: str) -> str:
    """A text in double quotes, for YAML and PromQL alike."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


LONGEST_WINDOW = 3600
"""Seconds that a HPA may wait at most before it shrinks (autoscaling/v2)."""


def rate_trigger(group: str, process: Process, policy: Evenfleet) -> str:
    """The policy's rule, by the metrics of kafka_exporter.

    The formula counts how many of the useful sizes aren't enough, and takes the next one.
    """
    read = f"sum(rate(kafka_topic_partition_current_offset{{{_topics(process)}}}[5m]"
    most = min(policy.max_members, process.partitions)
    ago = round(WEEK_SECONDS - policy.ahead_seconds)
    behind = f"consumergroup={quote(group)},{_topics(process)}"
    queries = {
        "now": f"{read}))",
        "week_ago": f"{read} offset {ago}s))",
        "behind": f"sum(kafka_consumergroup_lag{{{behind}}})",
    }
    lines = [
        *head("keda.sh/v1alpha1", "ScaledObject", group),
        f"  minReplicaCount: {policy.min_members}",
        f"  maxReplicaCount: {max(policy.min_members, most)}",
        "  advanced:",
        "    scalingModifiers:",
        "      metricType: AverageValue",
        '      target: "1"',
        f"      formula: {quote(_formula(process, policy))}",
        "    horizontalPodAutoscalerConfig:",
        "      behavior:",
        "        scaleUp:",
        f"          policies: [{{type: Pods, value: {process.partitions}, periodSeconds: 15}}]",
        "        scaleDown:",
        f"          stabilizationWindowSeconds: {min(policy.down_seconds, LONGEST_WINDOW):.0f}",
        "  triggers: # with kafka_exporter's metrics; a HPA ignores changes of less than 10 %",
    ]
    for name, query in queries.items():
        lines += [
            "    - type: prometheus",
            f"      name: {name}",
            "      metadata:",
            "        serverAddress: http://prometheus:9090 # set yours",
            f"        query: {quote(query)}",
            '        threshold: "1"',
        ]
    return "\n".join(lines)


def _formula(process: Process, policy: Evenfleet) -> str:
    """By KEDA's language of formulas (expr): sizes, and the rates above which each is too small."""
    sizes, enough = policy.sizes_of(process)
    rate = f"max(now, week_ago) + behind / {policy.drain_seconds:.0f}"
    if len(sizes) == 1:
        return f"{sizes[0]} + 0 * now"
    limits = ", ".join(f"{limit:.6g}" for limit in enough)
    return f"[{', '.join(map(str, sizes))}][count([{limits}], {{# < {rate}}})]"


def _topics(process: Process) -> str:
    """The selector of the topics that the group reads."""
    topics = [*process.assignments.topics]
    if len(topics) == 1:
        return f"topic={quote(topics[0])}"
    return f"topic=~{quote('|'.join(map(re.escape, topics)))}"


def manifest_of(group: str, process: Process, policy: Policy, totals: Totals) -> str:
    """The object to apply for a group; the names of its Deployment and brokers are to be set."""
    if isinstance(policy, Keda):
        return _kafka_trigger(group, process, policy)
    if isinstance(policy, Hpa):
        return _autoscaler(group, process, policy)
    if isinstance(policy, Evenfleet):
        return rate_trigger(group, process, policy)
    if isinstance(policy, Fixed):
        return f"replicas: {totals.most_members}"
    return ""


def _kafka_trigger(group: str, process: Process, policy: Keda) -> str:
    """Without a topic KEDA takes all that the group reads, as far as it finds offsets.

    Some settings want topics named, and only apache-kafka takes several. Defaults aren't stated.
    """
    topics = [*process.assignments.topics]
    of_topics = policy.names_topics and len(topics) > 1
    flags = {
        "allowIdleConsumers": policy.allow_idle_consumers,
        "limitToPartitionsWithLag": policy.limit_to_partitions_with_lag,
        "ensureEvenDistributionOfPartitions": policy.ensure_even_distribution_of_partitions,
        "scaleToZeroOnInvalidOffset": policy.scale_to_zero_on_invalid_offset,
    }
    idle = policy.idle_replica_count
    lines = [
        *head("keda.sh/v1alpha1", "ScaledObject", group),
        f"  pollingInterval: {policy.polling_interval:.0f}",
        f"  cooldownPeriod: {policy.cooldown_period:.0f}",
        *([] if idle is None else [f"  idleReplicaCount: {idle}"]),
        f"  minReplicaCount: {policy.min_replica_count}",
        f"  maxReplicaCount: {policy.max_replica_count}",
        *_behavior(policy, keda=True),
        "  triggers:",
        f"    - type: {'apache-kafka' if of_topics else 'kafka'}",
        "      metadata:",
        "        bootstrapServers: kafka:9092 # set yours",
        f"        consumerGroup: {quote(group)}",
    ]
    if len(topics) == 1 or of_topics:
        lines.append(f"        topic: {quote(','.join(topics))}")
    lines.append(f'        lagThreshold: "{thresholds(policy.lag_threshold, [process])[0]:.0f}"')
    lines.append(f'        activationLagThreshold: "{policy.activation_lag_threshold:.0f}"')
    lines.append(f"        offsetResetPolicy: {policy.offset_reset_policy}")
    lines += [f'        {name}: "true"' for name, is_set in flags.items() if is_set]
    return "\n".join(lines)


def _autoscaler(group: str, process: Process, policy: Hpa) -> str:
    lines = [
        *head("autoscaling/v2", "HorizontalPodAutoscaler", group),
        "    apiVersion: apps/v1",
        "    kind: Deployment",
        f"  minReplicas: {policy.min_replicas}",
        f"  maxReplicas: {policy.max_replicas}",
        *_behavior(policy, keda=False),
        "  metrics:",
        "    - type: External",
        "      external:",
        "        metric:",
        "          name: kafka_consumergroup_lag # of your metrics adapter",
        "          selector:",
        "            matchLabels:",
        f"              consumergroup: {quote(group)}",
        "        target:",
        "          type: AverageValue",
        f'          averageValue: "{thresholds(policy.average_value, [process])[0]:.0f}"',
    ]
    return "\n".join(lines)


def _behavior(policy: Keda | Hpa, *, keda: bool) -> list[str]:
    """The stabilisation windows and rates, where KEDA's object has them or an HPA's.

    Nothing for Kubernetes' own: to state them would change how fast the first members come. A
    tolerance of all HPAs is a setting of the controller.
    """
    note = f"  # for a controller whose horizontal-pod-autoscaler-tolerance is {policy.tolerance:g}"
    notes = [note] if policy.tolerance != TOLERANCE else []
    if (policy.scale_up, policy.scale_down) == (NO_BEHAVIOR, SCALE_DOWN):
        return notes
    indent = "      " if keda else "  "
    lines = [*notes, *(["  advanced:", "    horizontalPodAutoscalerConfig:"] if keda else [])]
    lines.append(f"{indent}behavior:")
    for name, rules in (("scaleUp", policy.scale_up), ("scaleDown", policy.scale_down)):
        lines += [
            f"{indent}  {name}:",
            f"{indent}    stabilizationWindowSeconds: {rules.window_seconds:.0f}",
            f"{indent}    selectPolicy: {rules.select}",
            f"{indent}    policies:",
        ]
        lines += [
            f"{indent}      - {{type: {change.type}, value: {change.value}, "
            f"periodSeconds: {change.period_seconds}}}"
            for change in rules.changes
        ]
    return lines
