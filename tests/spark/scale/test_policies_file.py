"""The file of policies as its page shows it, and what is handed out to copy."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import yaml

from optimizer.scaling import (
    OFFERED,
    SEARCHED,
    Evenfleet,
    Fixed,
    Hpa,
    Keda,
    Policy,
    Prices,
    policy_of,
    replay,
)
from spark.scale import read_scale_settings
from spark.scale.advice import advice_of
from spark.scale.group_process import GroupProcess
from spark.scale.manifests import manifest_of
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
    assert hpa.scale_up == Hpa(1.0).scale_up
    assert (fixed, evenfleet) == (Fixed(12), Evenfleet(headroom=0.8, down_seconds=1800))
    assert (settings.peak_rate, settings.start_seconds) == (5000, 45)
    assert settings.prices == Prices()
    more = read_scale_settings(file, search=True).policies
    assert more[:4] == settings.policies
    named = {policy.name for policy in settings.policies}
    assert more[4:] == tuple(policy for policy in SEARCHED if policy.name not in named)


def test_without_a_file_five_policies_are_offered_and_more_searched() -> None:
    assert read_scale_settings(None).policies == OFFERED
    names = [policy.name for policy in read_scale_settings(None, search=True).policies]
    assert len(names) == len({*names}) > 10


@pytest.mark.parametrize(
    ("policy", "kind"),
    [
        (Keda("30s", min_replica_count=2, limit_to_partitions_with_lag=True), "ScaledObject"),
        (Hpa(500.0, max_replicas=50), "HorizontalPodAutoscaler"),
        (Evenfleet(), "ScaledObject"),
    ],
)
def test_what_is_set_is_yaml_for_the_group(policy: Policy, kind: str) -> None:
    group = process(peak_rate=100.0)
    totals = replay([group], [policy])[0][0].totals(Prices())
    made = yaml.safe_load(manifest_of('Orders "EU".loader', group, policy, totals))
    assert (made["kind"], made["metadata"]["name"]) == (kind, "orders-eu-loader")
    assert 'Orders "EU".loader' in str(made).replace("\\", "")
    most = made["spec"].get("maxReplicaCount", made["spec"].get("maxReplicas"))
    assert most == 4  # partitions
    if isinstance(policy, Keda):
        (trigger,) = made["spec"]["triggers"]
        assert trigger["metadata"]["lagThreshold"] == "3000"
        assert trigger["metadata"]["limitToPartitionsWithLag"] == "true"
        behavior = made["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
        assert behavior["scaleDown"]["stabilizationWindowSeconds"] == 300


def test_a_fixed_number_is_advised_where_it_does_as_well() -> None:
    """Steady rates: nothing that scales is better, and a number is simpler."""
    group = process([[50.0] * 4] * 4, peak_rate=100.0, recorded=4)
    policies = [policy_of({"kind": "as-it-was"}), Fixed(3), Fixed(2), Evenfleet(headroom=1.0)]
    totals = [course.totals(Prices()) for course in replay([group], policies)[0]]
    of_group = GroupProcess(group, np.arange(5), ())
    advice = advice_of("orders", of_group, policies, totals, 8.0)
    assert (advice.recommended, advice.setting) == (2, "replicas: 2")
    assert advice.sentence == (
        "A fixed number does as well as any policy: 2 members (8 member-hours, 0 rebalances, late "
        "0 partition-hours, 1 × the least possible cost). Against what was recorded: 8 "
        "member-hours less."
    )


def test_a_group_that_is_well_as_it_is_is_left_alone() -> None:
    group = process([[50.0] * 4] * 4, peak_rate=100.0, recorded=2)
    policies = [policy_of({"kind": "as-it-was"}), Fixed(4)]
    totals = [course.totals(Prices()) for course in replay([group], policies)[0]]
    advice = advice_of("orders", GroupProcess(group, np.arange(5), ()), policies, totals, 8.0)
    assert (advice.recommended, advice.setting) == (0, "")
    assert advice.sentence.startswith("Leave it as it is: no policy costs less (8 member-hours")
