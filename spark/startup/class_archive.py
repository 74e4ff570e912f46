"""Makes the archive of Java's classes that lets every later command start sooner (AppCDS).

It is made by the main job on a small fleet, whose classes the other commands load as well. The
first command that starts Spark has it made in the background, and nobody waits for it:
`python -m spark.startup.class_archive`.
"""

import fcntl
import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, Popen, run
from tempfile import TemporaryDirectory

import pyspark

from spark.startup.quick_start import CLASSES, QUIET

PROGRAM = "EVENFLEET_PROGRAM"
"""Environment variable: how the program was called, where that isn't by its name."""

RUN = "from spark.cli import main; main()"

MADE_FOR = CLASSES.with_suffix(".made-for")
"""The Java and the Spark that the archive is for, also where making it failed."""


def make_in_background() -> None:
    """Start to make what `bin/evenfleet` lacks; an installation of another kind stays as it is."""
    with suppress(OSError):  # commands run without it as well
        if PROGRAM in os.environ and not _is_made():
            words = ["nice", sys.executable, "-m", "spark.startup.class_archive"]
            Popen(words, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True)


def main() -> int:
    """Put the archive where commands look for it; exit code 1, and no archive, if that fails."""
    with MADE_FOR.with_suffix(".lock").open("w") as lock, suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # unless another process has begun
        if not _is_made():
            wanted = _version_key()
            _make()
            MADE_FOR.write_text(wanted)
    return 0 if CLASSES.is_file() else 1


def _is_made() -> bool:
    return MADE_FOR.is_file() and MADE_FOR.read_text() == _version_key()


def _version_key() -> str:
    home = os.environ.get("JAVA_HOME")
    java = Path(home, "bin/java") if home else Path(shutil.which("java") or "java")
    return f"{pyspark.__version__} {java.resolve()} {java.stat().st_mtime_ns}"


def _make() -> None:
    with TemporaryDirectory(dir=CLASSES.parent, prefix="evenfleet-") as folder:
        made = Path(folder) / CLASSES.name
        options = f"spark.driver.extraJavaOptions={QUIET} -XX:ArchiveClassesAtExit={made}"
        words = ["demo", "--groups", "30", "--out", f"{folder}/demo", "--conf", options]
        others = {name: value for name, value in os.environ.items() if name != PROGRAM}
        # Java writes the archive when the command has ended, and holds the pipes until it is done.
        run([sys.executable, "-c", RUN, *words], capture_output=True, check=False, env=others)
        if made.is_file():
            made.replace(CLASSES)


if __name__ == "__main__":
    sys.exit(main())
