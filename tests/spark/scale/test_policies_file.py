"""The file of policies as its page shows it, and what is handed out to copy."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from optimizer.scaling import (
    OFFERED,
    SCALE_DOWN,
    SCALE_UP,
    Assignments,
    Evenfleet,
    Fixed,
    Hpa,
    Keda,
    Policy,
    Prices,
    Process,
    Rules,
    policy_of,
    replay,
)
from optimizer.scaling.policies.evenfleet import UsefulSizes
from spark.errors import InputError
from spark.scale import read_scale_settings
from spark.scale.advice import ScalingAdvice, advice_of
from spark.scale.group_process import GroupProcess
from spark.scale.manifests import manifest_of, rate_trigger
from spark.scale.policies_file import ScaleSettings
from tests.optimizer.scaling.processes import process
from tests.paths import ROOT


def test_the_example_of_the_page_is_read(tmp_path: Path) -> None:
    text = (ROOT / "docs/scale.md").read_text("utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    file = tmp_path / "policies.toml"
    file.write_text(example, encoding="utf-8")
    settings = read_scale_settings(file)
    keda, hpa, fixed, evenfleet = settings.policies
    assert isinstance(keda, Keda)
    assert (keda.name, keda.lag_threshold, keda.max_replica_count) == ("keda as deployed", 5000, 24)
    assert keda.ensure_even_distribution_of_partitions
    assert isinstance(hpa, Hpa)
    assert (hpa.scale_down.window_seconds, hpa.scale_down.changes[0].value) == (600, 1)
    assert hpa.scale_up == SCALE_UP
    assert (fixed, evenfleet) == (Fixed(12), Evenfleet(headroom=0.8, down_seconds=1800))
    assert (settings.peak_rate, settings.start_seconds) == (5000, 45)
    assert settings.prices == Prices()


def test_faults_of_all_policies_come_at_once(tmp_path: Path) -> None:
    file = tmp_path / "policies.toml"
    file.write_text("[[policy]]\nkind = 'cron'\n[[policy]]\nkind = 'hpa'")
    with pytest.raises(InputError) as error:
        read_scale_settings(file)
    assert "number 1: a policy needs a kind" in str(error.value)
    assert "; [[policy]] number 2: policy hpa needs averageValue" in str(error.value)


def test_without_a_file_five_policies_are_offered() -> None:
    assert read_scale_settings(None).policies == OFFERED


@pytest.mark.parametrize(
    ("policy", "kind"),
    [
        (Keda("30s", min_replica_count=2), "ScaledObject"),
        (Hpa(500.0, min_replicas=8, max_replicas=50), "HorizontalPodAutoscaler"),
        (Keda(1.0, min_replica_count=9), "ScaledObject"),
        (Evenfleet(min_members=6), "ScaledObject"),
    ],
)
def test_what_is_set_is_yaml_for_the_group(policy: Policy, kind: str) -> None:
    group = process(peak_rate=100.0)
    totals = replay([group], [policy])[0][0].totals(Prices())
    made = yaml.safe_load(manifest_of('Orders "EU".loader', group, policy, totals))
    assert (made["kind"], made["metadata"]["name"]) == (kind, "orders-eu-loader")
    assert 'Orders "EU".loader' in str(made).replace("\\", "")
    least, most = (
        made["spec"].get(f"{way}ReplicaCount", made["spec"].get(f"{way}Replicas"))
        for way in ("min", "max")
    )
    assert least <= most


def advised(group: Process, policies: Sequence[Policy]) -> ScalingAdvice:
    totals = [course.totals(Prices()) for course in replay([group], policies)[0]]
    of_group = GroupProcess(group, np.arange(5), ())
    return advice_of("orders", of_group, ScaleSettings(tuple(policies)), totals)


def test_a_fixed_number_is_advised_where_it_does_as_well() -> None:
    """Steady rates: nothing that scales is better, and a number is simpler."""
    group = process([[50.0] * 4] * 4, peak_rate=100.0, recorded=4)
    policies = [policy_of({"kind": "as-it-was"}), Fixed(3), Fixed(2), Evenfleet(headroom=1.0)]
    advice = advised(group, policies)
    assert (advice.recommended, advice.setting) == (2, "replicas: 2")
    assert advice.sentence == (
        "Fix it at 2 members (now 4): never late. 8 member-hours less than recorded."
    )


def test_a_group_that_is_well_as_it_is_is_left_alone() -> None:
    group = process([[50.0] * 4] * 4, peak_rate=100.0, recorded=2)
    policies = [policy_of({"kind": "as-it-was"}), Fixed(4)]
    advice = advised(group, policies)
    assert (advice.recommended, advice.setting) == (0, "")
    assert advice.sentence == "Leave it as it is (2 members now): never late, no policy costs less."


def test_what_breaks_the_slo_is_not_advised_however_cheap() -> None:
    """Lateness is cheap here: one member costs less than three, and is late all the time."""
    group = process([[75.0] * 4] * 4, peak_rate=100.0, recorded=1)
    policies = [policy_of({"kind": "as-it-was"}), Fixed(1), Fixed(4)]
    prices = Prices(late_partition_hour=0.01)
    totals = [course.totals(prices) for course in replay([group], policies, prices)[0]]
    settings = ScaleSettings(tuple(policies), prices)
    assert totals[1].cost < totals[2].cost
    of_group = GroupProcess(group, np.arange(5), ())
    advice = advice_of("orders", of_group, settings, totals)
    assert advice.recommended == 2
    assert "12 member-hours more" in advice.sentence
    assert advice.sentence.endswith(" than recorded. As recorded it misses the SLO.")


def test_where_the_slo_can_not_be_met_it_is_said() -> None:
    advice = advised(process([[200.0, 0.0]] * 4, peak_rate=100.0), [Fixed(1), Fixed(2)])
    assert (
        "No policy meets the SLO (at most 1 min behind 99 % of the time): this one reaches "
    ) in advice.sentence
    assert (
        "Partition orders-0 gets up to 200 records/s, one member reads 100: spread"
        in advice.sentence
    )


def keda_of(metadata: dict[str, str], spec: dict[str, Any]) -> Policy:
    """The policy that a ScaledObject states."""
    ours = {"true": True, "false": False}
    stated = {key: ours.get(value, value) for key, value in metadata.items()}
    for key in ("bootstrapServers", "consumerGroup", "topic"):
        stated.pop(key, None)
    numbers = {key: int(stated.pop(key)) for key in ("lagThreshold", "activationLagThreshold")}
    counts = {key: value for key, value in spec.items() if isinstance(value, int)}
    behavior = spec.get("advanced", {}).get("horizontalPodAutoscalerConfig", {})
    return policy_of({"kind": "keda", **stated, **numbers, **counts, **behavior})


@pytest.mark.parametrize(
    "stated",
    [
        {},
        {"min_replica_count": 2, "idle_replica_count": 0, "offset_reset_policy": "earliest"},
        {"scale_to_zero_on_invalid_offset": True, "allow_idle_consumers": True},
        {"limit_to_partitions_with_lag": True, "polling_interval": 5.0, "cooldown_period": 7.0},
        {"ensure_even_distribution_of_partitions": True, "max_replica_count": 2},
        {"scale_up": SCALE_UP, "scale_down": Rules(600, SCALE_DOWN.changes)},
    ],
)
def test_a_scaled_object_states_what_was_replayed(stated: dict[str, Any]) -> None:
    group, policy = process(), Keda(50.0, **stated)
    totals = replay([group], [policy])[0][0].totals(Prices())
    spec = yaml.safe_load(manifest_of("loader", group, policy, totals))["spec"]
    (trigger,) = spec["triggers"]
    assert keda_of(trigger["metadata"], spec) == policy
    if stated.get("limit_to_partitions_with_lag"):
        assert (trigger["type"], trigger["metadata"]["topic"]) == ("kafka", "orders")


@pytest.mark.parametrize(
    ("stated", "kind", "topic"),
    [
        ("limit_to_partitions_with_lag", "apache-kafka", "bills,orders"),
        ("ensure_even_distribution_of_partitions", "apache-kafka", "bills,orders"),
        ("allow_idle_consumers", "kafka", None),
    ],
)
def test_kedas_settings_that_want_topics_have_them_named(
    stated: str, kind: str, topic: str | None
) -> None:
    """KEDA refuses them without `topic`, and only its apache-kafka trigger takes several."""
    group = replace(process(), assignments=Assignments({"bills": 1, "orders": 3}, "range"))
    policy = policy_of({"kind": "keda", "lagThreshold": "30s"})
    policy = replace(policy, **{stated: True})  # type: ignore[type-var]
    totals = replay([group], [policy])[0][0].totals(Prices())
    made = yaml.safe_load(manifest_of("loader", group, policy, totals))
    (trigger,) = made["spec"]["triggers"]
    assert trigger["metadata"]["lagThreshold"] == "3000"
    assert (trigger["type"], trigger["metadata"].get("topic")) == (kind, topic)
    assert "advanced" not in made["spec"]  # Kubernetes' own behavior


@pytest.mark.parametrize("least", [1, 3])
def test_evenfleets_text_decides_as_the_policy_does(least: int) -> None:
    """Uneven partitions, a rate now and a week ago, and a lag to drain: the same size each time."""
    rng = np.random.default_rng(least)
    group = replace(
        process(rng.uniform(10, 100, (5, 12)).tolist(), peak_rate=200.0),
        assignments=Assignments({"a.b": 5, "orders": 7}, "range"),
    )
    policy = Evenfleet(min_members=least)
    made = yaml.safe_load(rate_trigger("loader", group, policy))
    triggers = {item["name"]: item["metadata"]["query"] for item in made["spec"]["triggers"]}
    assert triggers["now"] == (
        'sum(rate(kafka_topic_partition_current_offset{topic=~"a\\\\.b|orders"}[5m]))'
    )
    assert "offset 603900s" in triggers["week_ago"]
    formula = made["spec"]["advanced"]["scalingModifiers"]["formula"]
    shape = r"\[([\d, ]+)\]\[count\(\[([\d., ]+)\], \{# < (.*)\}\)\]"
    (parts,) = re.findall(shape, formula)
    sizes, limits = ([float(item) for item in part.split(", ")] for part in parts[:2])
    assert len(sizes) == len(limits) + 1
    useful = UsefulSizes([group], policy.headroom)
    for _ in range(200):
        now, week_ago, behind = rng.uniform(0, [800, 800, 200_000]).tolist()
        rate = eval(parts[2])
        expected = policy.members_for(useful, np.array([max(now, week_ago) + behind / 600]))[0]
        assert sizes[sum(limit < rate for limit in limits)] == expected


def test_where_one_size_is_useful_evenfleets_text_is_that() -> None:
    made = yaml.safe_load(rate_trigger("loader", process(partitions=1), Evenfleet()))
    assert made["spec"]["advanced"]["scalingModifiers"]["formula"] == "1 + 0 * now"
