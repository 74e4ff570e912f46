"""Policies of one group as text to copy: a ScaledObject, a HorizontalPodAutoscaler, a number."""

from optimizer.scaling import (
    NO_BEHAVIOR,
    SCALE_DOWN,
    TOLERANCE,
    Evenfleet,
    Fixed,
    Hpa,
    Keda,
    Policy,
    Process,
    Totals,
    thresholds,
)
from spark.scale.kubernetes_text import head, quoted
from spark.scale.rate_trigger import rate_trigger


def manifest_of(group: str, process: Process, policy: Policy, totals: Totals) -> str:
    """What to apply for a group; the names of its Deployment and of the brokers are to be set."""
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
        f"        consumerGroup: {quoted(group)}",
    ]
    if len(topics) == 1 or of_topics:
        lines.append(f"        topic: {quoted(','.join(topics))}")
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
        f"              consumergroup: {quoted(group)}",
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
            f"{indent}      - {{type: {item.type}, value: {item.value}, "
            f"periodSeconds: {item.period_seconds}}}"
            for item in rules.changes
        ]
    return lines
