"""Where a secret is: in a variable of the environment or in a file, never in a value of ours."""

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from spark.errors import InputError
from spark.files import read_whole

SECURITY = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")

_OF_THE_WIRE = ("kafka.net.connection", "kafka.protocol.parser")


@dataclass(frozen=True)
class Secret:
    """The place of a secret; the secret itself is looked up when it is used."""

    variable: str | None = None
    file: Path | None = None

    def read(self) -> str:
        """The secret, without the line end that a file may have; InputError if it isn't there."""
        if self.variable is not None:
            value = os.environ.get(self.variable)
            if not value:
                raise InputError(
                    f"the environment has no variable {self.variable} (or it is empty)"
                )
            return value
        assert self.file is not None
        try:
            value = read_whole(self.file, 1 << 16).decode().rstrip("\r\n")
        except (OSError, UnicodeDecodeError):
            raise InputError(f"the file {self.file} with a secret can't be read") from None
        if not value:
            raise InputError(f"the file {self.file} with a secret is empty")
        return value


@contextmanager
def unlogged_wire() -> Iterator[None]:
    """Keep what this thread sends out of logs: at level DEBUG kafka-python prints every byte."""
    thread = threading.get_ident()

    def passes(record: logging.LogRecord) -> bool:
        return record.thread != thread or record.levelno > logging.DEBUG

    loggers = [logging.getLogger(name) for name in _OF_THE_WIRE]
    for logger in loggers:
        logger.addFilter(passes)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(passes)
