"""Evenfleet's own policy as a ScaledObject, computed from three queries of Prometheus."""

import re

from optimizer.scaling import WEEK_SECONDS, Evenfleet, Process
from spark.scale.kubernetes_text import head, quoted

LONGEST_WINDOW = 3600
"""Seconds that a HPA may wait at most before it shrinks (autoscaling/v2)."""


def rate_trigger(group: str, process: Process, policy: Evenfleet) -> str:
    """What the policy decides, by the metrics of kafka_exporter.

    The formula counts how many of the useful sizes aren't enough, and takes the next one.
    """
    read = f"sum(rate(kafka_topic_partition_current_offset{{{_topics(process)}}}[5m]"
    most = min(policy.max_members, process.partitions)
    ago = round(WEEK_SECONDS - policy.ahead_seconds)
    behind = f"consumergroup={quoted(group)},{_topics(process)}"
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
        f"      formula: {quoted(_formula(process, policy))}",
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
            f"        query: {quoted(query)}",
            '        threshold: "1"',
        ]
    return "\n".join(lines)


def _formula(process: Process, policy: Evenfleet) -> str:
    """By KEDA's language of formulas (expr): sizes, and the rates above which each is too small."""
    sizes, enough = policy.sizes_of(process)
    rate = f"max(now, week_ago) + behind / {policy.drain_seconds:.0f}"
    if len(sizes) == 1:
        return f"{sizes[0]} + 0 * now"
    limits = ", ".join(f"{item:.6g}" for item in enough)
    return f"[{', '.join(map(str, sizes))}][count([{limits}], {{# < {rate}}})]"


def _topics(process: Process) -> str:
    """The selector of the topics that the group reads."""
    topics = [*process.assignments.topics]
    if len(topics) == 1:
        return f"topic={quoted(topics[0])}"
    return f"topic=~{quoted('|'.join(map(re.escape, topics)))}"
