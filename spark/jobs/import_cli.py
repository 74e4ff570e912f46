"""`evenfleet import-cli`: from the text of Kafka's own tools to a store."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import pyarrow as pa

from spark.console import Format, say, show
from spark.output import check_writable
from spark.schemas import TABLES
from spark.sources.cli_text import read_cli_text
from spark.sources.store_files import table_of, write_store
from spark.store import snapshot_id


class Inference(StrEnum):
    """How subscriptions are guessed where no file tells them."""

    UNION = "union"
    OWNED = "owned"


def import_cli(
    cluster: str,
    groups: Sequence[Path],
    topics: Path,
    out: Path,
    snapshot: str | None,
    brokers: Path | None,
    infer: Inference,
    subscriptions: Path | None,
    form: Format,
) -> None:
    """Read all files, say what couldn't be read, and write one snapshot."""
    check_writable(str(out))
    chosen = snapshot_id(snapshot)
    text = read_cli_text(cluster, groups, topics, brokers, infer.value, subscriptions)
    for note in text.notes:
        say(note)
    for line in text.unreadable:
        say(f"{line.file}:{line.line}: {line.why}: {line.text}")
    tables = {
        name: _table(name, text.tables.get(name, []))
        for name, table in TABLES.items()
        if table.required or text.tables.get(name)
    }
    write_store(tables, out, chosen)
    counts = [{"table": name, "rows": len(table)} for name, table in tables.items()]
    show({"tables": counts}, form)
    say(f"{len(text.unreadable)} lines could not be read. Next: evenfleet plan {out} --out plan")


def _table(name: str, rows: Sequence[dict[str, Any]]) -> pa.Table:
    columns = TABLES[name].columns
    return table_of(
        name, {column.name: [row.get(column.name) for row in rows] for column in columns}
    )
