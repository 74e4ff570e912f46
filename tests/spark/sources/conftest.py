import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from spark.sources.kafka_text.consumer_groups import ConsumerGroups
from tests.paths import DATA

Write = Callable[..., Path]


def printed(form: str, *rows: str) -> str:
    """What Java's printf makes of a header and rows with one format; `%-15s` is the same here."""
    return "\n" + "\n".join(form % tuple(row.split("|")) for row in rows) + "\n"


@pytest.fixture(scope="session")
def captures() -> Path:
    """Text printed by Kafka 4.3.1 about ten real groups."""
    return DATA / "cli"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a text (or bytes) to a file of that name and returns its path."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def read_groups(write: Write) -> Callable[..., ConsumerGroups]:
    """Reads the texts as so many files, named 0.txt, 1.txt, … unless `names` says otherwise."""

    def read(*texts: str | bytes, names: Sequence[str] | None = None) -> ConsumerGroups:
        named = zip(names or [f"{i}.txt" for i in range(len(texts))], texts, strict=True)
        return ConsumerGroups().read([write(name, text) for name, text in named])

    return read


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing comes of waiting for recorded brokers."""
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
