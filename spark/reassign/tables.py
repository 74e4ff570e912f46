"""A reassignment as rows: for programs, and shorter for people."""

from typing import Any

from spark.reassign.compared import Compared
from spark.reassign.reassignment import Reassignment


def batch_rows(reassignment: Reassignment) -> list[dict[str, Any]]:
    """A row a batch: how many partitions, copies and elections."""
    return [
        {
            "batch": number,
            "partitions": len(batch),
            "copies": sum(step.target is not None for step in batch),
            "elections": sum(step.before[0] != step.after[0] for step in batch),
        }
        for number, batch in enumerate(reassignment.batches, 1)
    ]


def broker_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row of `Reassignment.brokers` for people, without bytes."""
    return {
        **{name: row[name] for name in ("broker", "rack", "state", "replicas", "planned")},
        "even share": row["even_share"],
        "leads now": row["leads_now"],
        "preferred": row["leaders"],
        "planned preferred": row["planned_leaders"],
        "copied in": row["copied_in"],
    }


def compared_row(placement: Compared) -> dict[str, Any]:
    """A placement for people."""
    return {
        "placement": placement.placement,
        "copies": placement.copies,
        "replicas": f"{placement.replicas_min}-{placement.replicas_max}",
        "leaders": f"{placement.leaders_min}-{placement.leaders_max}",
        "uneven racks": placement.uneven_racks,
        **({} if placement.bytes_max is None else {"bytes at most": placement.bytes_max}),
        **({} if placement.bytes_gap is None else {"over the bound": f"{placement.bytes_gap:.1%}"}),
    }


def cluster_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row of `reassign_fleet` for people."""
    return {
        "cluster": row["cluster"],
        "plan": row["optimal"] or row["status"],
        "copies": row["copies"],
        "batches": row["batches"],
        "replicas": _from_to(row, "replicas"),
        "planned": _from_to(row, "planned"),
        "leaders": _from_to(row, "leaders"),
        "planned leaders": _from_to(row, "planned_leaders"),
    }


def _from_to(row: dict[str, Any], name: str) -> str | None:
    return None if row[f"{name}_min"] is None else f"{row[f'{name}_min']}-{row[f'{name}_max']}"
