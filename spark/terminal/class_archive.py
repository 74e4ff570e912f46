"""Makes the archive of Java's classes that lets every later command start sooner (AppCDS).

It is made by the main job on a small fleet, whose classes the other commands load as well.
`bin/setup.sh` runs it: `python -m spark.terminal.class_archive`.
"""

import sys
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory

from spark.terminal.quick_start import CLASSES, QUIET

RUN = "from spark.cli import main; main()"


def main() -> int:
    """Put the archive where commands look for it; exit code 1, and no archive, if that fails."""
    with TemporaryDirectory(dir=CLASSES.parent, prefix="evenfleet-") as folder:
        made = Path(folder) / CLASSES.name
        options = f"spark.driver.extraJavaOptions={QUIET} -XX:ArchiveClassesAtExit={made}"
        words = ["demo", "--groups", "30", "--out", f"{folder}/demo", "--conf", options]
        # Java writes the archive when the command has ended, and holds the pipes until it is done.
        run([sys.executable, "-c", RUN, *words], capture_output=True, check=False)
        if not made.is_file():
            return 1
        made.replace(CLASSES)
    return 0


if __name__ == "__main__":
    sys.exit(main())
