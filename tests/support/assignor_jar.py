"""The assignors for Java, built by Maven; tests that need them are skipped where there is none."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.paths import ROOT
from tests.support.locks import alone_with

TARGET = ROOT / "optimizer" / "assignor" / "java" / "target"


class AssignorJar(NamedTuple):
    """The jar, and the class path of its tests' classes with what they need."""

    jar: Path
    tests: str


@cache
def assignor_jar() -> AssignorJar:
    """Build the jar, unless it is there as the sources are; tests side by side take turns."""
    if shutil.which("mvn") is None:
        pytest.skip("the assignors for Java are built by Maven, and there is no `mvn`")
    with alone_with("maven"):
        built = subprocess.run(
            [ROOT / "bin" / "build-jar"], capture_output=True, text=True, check=False
        )
    assert built.returncode == 0, built.stdout + built.stderr
    needed = (TARGET / "class-path.txt").read_text().strip()
    folders = [str(TARGET / "classes"), str(TARGET / "test-classes")]
    return AssignorJar(Path(built.stdout.strip()), os.pathsep.join([*folders, needed]))


def java() -> str:
    home = os.environ.get("JAVA_HOME")
    return str(Path(home) / "bin" / "java") if home else "java"
