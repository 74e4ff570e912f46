"""All policies by their kind, and how they are read: another one is its file here, and its line."""

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from optimizer.scaling.policies.evenfleet import Evenfleet
from optimizer.scaling.policies.fixed import AsItWas, Fixed
from optimizer.scaling.policies.hpa import SCALE_DOWN, SCALE_UP, UNLIMITED, Hpa, PodChange, Rules
from optimizer.scaling.policies.keda import Keda
from optimizer.scaling.policies.policy import LagThreshold, Policy, PolicyError

POLICIES: dict[str, Any] = {
    "as-it-was": AsItWas,
    "fixed": Fixed,
    "hpa": Hpa,
    "keda": Keda,
    "evenfleet": Evenfleet,
}

OFFERED: tuple[Policy, ...] = (
    AsItWas(),
    Fixed(),
    Hpa("30s", max_replicas=100),
    Keda("30s", min_replica_count=1),
    Evenfleet(),
)
"""Policies that are replayed unless others are stated."""

LARGEST = 2**53
"""Numbers from here on aren't exact, and none of them makes sense."""

_BEHAVIOR = {"scaleUp": SCALE_UP, "scaleDown": SCALE_DOWN}


def policy_of(table: Mapping[str, Any]) -> Policy:
    """The policy that a table of a TOML file states under `kind`; see `POLICIES`.

    Keys are those of KEDA and Kubernetes as they are documented (lagThreshold), or ours
    (`down_seconds`). PolicyError says in a sentence what is wrong.
    """
    kind = table.get("kind")
    if not isinstance(kind, str) or kind not in POLICIES:
        raise PolicyError(f"a policy needs a kind, one of {', '.join(POLICIES)}, not {kind!r}")
    policy = POLICIES[kind]
    allowed = {setting.name: setting.type for setting in fields(policy)}
    checked: dict[str, Any] = {}
    for key, value in table.items():
        if key == "kind":
            continue
        if key == "behavior" and "scale_up" in allowed:
            checked |= _behavior(value)
            continue
        name = _snake(key)
        if name not in allowed:
            names = ", ".join(map(_camel, allowed) if kind in ("hpa", "keda") else allowed)
            raise PolicyError(f"policy {kind} has no {key!r}: it has {names}")
        checked[name] = _check_field(kind, key, value, allowed[name])
    if kind == "hpa" and "average_value" not in checked:
        raise PolicyError("policy hpa needs averageValue")
    made: Policy = policy(**checked)
    return made


def _check_field(kind: str, key: str, value: Any, wanted_type: Any) -> Any:
    """A value of the field's type; PolicyError where it is none."""
    is_flag = isinstance(value, bool)
    is_number = isinstance(value, int | float) and abs(value) < LARGEST
    if wanted_type is bool:
        fits, wanted = is_flag, "true or false"
    elif wanted_type is str:
        fits, wanted = isinstance(value, str) and bool(value), "a text"
    elif wanted_type is Rules:
        fits, wanted = False, "a direction of behavior"
    elif wanted_type == LagThreshold:
        is_time = isinstance(value, str) and re.fullmatch(r"[1-9][0-9]{0,6}s", value) is not None
        fits, wanted = is_time or (is_number and not is_flag and value > 0), "records, or '30s'"
    elif wanted_type in (int, int | None):
        fits = isinstance(value, int) and not is_flag and abs(value) <= UNLIMITED
        wanted = "a whole number"
    else:
        fits, wanted = is_number and not is_flag and value >= 0, "a number of 0 or more"
    if not fits:
        where = kind if kind in _BEHAVIOR else f"policy {kind}"
        raise PolicyError(f"{where}: {key} is {value!r:.40} and must be {wanted}")
    return value


def _behavior(table: Any) -> dict[str, Rules]:
    """The two directions of a behavior, by the names of their fields.

    Kubernetes fills in the one that isn't stated.
    """
    if not isinstance(table, Mapping) or not table.keys() <= _BEHAVIOR.keys():
        raise PolicyError(f"a behavior has {' and '.join(_BEHAVIOR)}, not {table!r}")
    return {
        _snake(way): _rules(way, table.get(way, {}), default) for way, default in _BEHAVIOR.items()
    }


def _rules(way: str, table: Any, default: Rules) -> Rules:
    allowed = {"stabilizationWindowSeconds", "selectPolicy", "policies"}
    if not isinstance(table, Mapping) or not table.keys() <= allowed:
        raise PolicyError(f"{way} has {', '.join(sorted(allowed))}, not {table!r}")
    changes, window = table.get("policies", []), "stabilizationWindowSeconds"
    if not isinstance(changes, list):
        raise PolicyError(f"{way}: policies is {changes!r} and must be a list of tables")
    return Rules(
        _check_field(way, window, table.get(window, default.window_seconds), float),
        tuple(_change(way, rule) for rule in changes) or default.changes,
        table.get("selectPolicy", default.select),
    )


def _change(way: str, table: Any) -> PodChange:
    allowed = {"type", "value", "periodSeconds"}
    if not isinstance(table, Mapping) or table.keys() != allowed:
        raise PolicyError(
            f"{way}: each of policies has {', '.join(sorted(allowed))}, not {table!r}"
        )
    value, period = (_check_field(way, key, table[key], int) for key in ("value", "periodSeconds"))
    return PodChange(table["type"], value, period)


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _camel(name: str) -> str:
    first, *more = name.split("_")
    return first + "".join(word.capitalize() for word in more)
