"""The command `evenfleet`: what has to hold before its other modules are loaded."""

import os
import signal
from types import FrameType


def main() -> None:
    """Run the command line; loading it takes a second, in which signals come as well."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)
    from spark.cli import main as run  # noqa: PLC0415 - see above

    try:
        run()
    finally:  # what is left is to clear up, which nothing is to tear
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)


def _end(number: int, _: FrameType | None) -> None:
    name = "Ctrl-C" if number == signal.SIGINT else "SIGTERM"
    os.write(2, f"evenfleet: ended by {name} before it began: run it again\n".encode())
    os._exit(128 + number)
