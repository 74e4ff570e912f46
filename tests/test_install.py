"""Evenfleet as `pip install evenfleet` brings it: no checkout, nothing but the wheel."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from spark.demo import make_history
from spark.fleet.local_store import write_store
from spark.jobs.demo import SEED
from tests.paths import ROOT

pytestmark = pytest.mark.ends

GENERATED = (".*", "__pycache__", "*.egg-info", "build", "dist", "target")
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "-q")
BUILD_SDIST = "from setuptools import build_meta; print(build_meta.build_sdist('.'))"


def outside(**more: str) -> dict[str, str]:
    """The environment of somebody who has no checkout."""
    ours = ("PYTHONPATH", "PYSPARK_PYTHON")
    return {name: value for name, value in os.environ.items() if name not in ours} | more


def _generated(folder: str, names: list[str]) -> set[str]:
    """What a checkout has beside its files: `demo` at its top, while spark/demo is code."""
    found = shutil.ignore_patterns(*GENERATED)(folder, names)
    return found | ({"demo"} if Path(folder) == ROOT else set())


class Installed:
    """A folder outside of any checkout, with an environment that has the wheel."""

    def __init__(self, folder: Path, sdist: Path, wheel: Path) -> None:
        self.folder, self.sdist, self.wheel = folder, sdist, wheel

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """What `evenfleet …` prints there."""
        return subprocess.run(
            [self.folder / "venv/bin/evenfleet", *words],
            cwd=self.folder,
            env=outside(**environment),
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Source distribution, the wheel made of it, and what it needs from this environment."""
    folder = tmp_path_factory.mktemp("installed")
    checkout = folder / "checkout"
    shutil.copytree(ROOT, checkout, symlinks=True, ignore=_generated)
    subprocess.run(
        [sys.executable, "-c", BUILD_SDIST], cwd=checkout, check=True, capture_output=True
    )
    (sdist,) = checkout.glob("evenfleet-*.tar.gz")
    build = [*PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(sdist)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = folder.glob("evenfleet-*.whl")
    packed = sdist.rename(folder / sdist.name)
    shutil.rmtree(checkout)
    venv.create(folder / "venv", with_pip=False)
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    python = ["--python", str(folder / "venv/bin/python")]
    install = [*PIP, *python, "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, env=outside(), check=True)
    site.joinpath("beside.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    write_store(make_history(8, SEED).tables(0), folder / "store", "20261121T060000Z")
    return Installed(folder, packed, wheel)


def test_sdist_and_wheel_have_the_licence_and_no_tests(installed: Installed) -> None:
    with tarfile.open(installed.sdist) as sdist, zipfile.ZipFile(installed.wheel) as wheel:
        packed = {name.partition("/")[2] for name in sdist.getnames()}
        installs = set(wheel.namelist())
        (licence,) = (name for name in installs if name.endswith(".dist-info/licenses/LICENSE"))
        assert wheel.read(licence) == (ROOT / "LICENSE").read_bytes()
    assert "LICENSE" in packed
    for names in (packed, installs):
        assert not [name for name in names if "test" in Path(name).parts[:-1]]
        assert not [name for name in names if name.startswith("tests")]
    assert {Path(name).parts[0].partition("-")[0] for name in installs} == {
        *("evenfleet", "optimizer", "spark")
    }


def test_settings_thresholds_scenarios_and_dashboards_come_with_it(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel:
        for path in (ROOT / "conf").rglob("*.*"):
            inside = path.relative_to(ROOT / "conf")
            if inside.parts[0] not in ("examples", "packages.toml"):
                assert wheel.read(f"spark/settings/conf/{inside}") == path.read_bytes()
    for words, path in (
        ([], "evenfleet.toml"),
        (["rolling-deploy"], "scenarios/rolling-deploy.toml"),
    ):
        shown = installed.run("config", "--example", *words)
        assert shown.stdout == (ROOT / "conf" / path).read_text(encoding="utf-8"), shown.stderr


@pytest.mark.parametrize("java", ["missing", "too old"])
def test_without_java_one_group_can_be_looked_at_and_fleets_say_what_they_need(
    installed: Installed, tmp_path: Path, java: str
) -> None:
    if java == "too old":
        (tmp_path / "bin").mkdir()
        program = tmp_path / "bin/java"
        program.write_text(
            "#!/bin/sh\necho Error: LinkageError occurred while loading main class >&2\n"
            "echo '\tjava.lang.UnsupportedClassVersionError: org/apache/spark/…' >&2; exit 1\n"
        )
        program.chmod(0o755)
    ran = installed.run("snapshots", "store", JAVA_HOME=str(tmp_path))
    assert (ran.returncode, ran.stderr) == (0, ran.stderr)
    assert "20261121T060000Z" in ran.stdout
    refused = installed.run("audit", "store", JAVA_HOME=str(tmp_path))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("evenfleet: This command runs on Spark, which needs Java 17")
    assert refused.stderr.count("\n") == 1


def test_collect_has_its_client(installed: Installed) -> None:
    ran = installed.run(
        *("collect", "--bootstrap", "127.0.0.1:9", "--cluster", "c", "--out", "new")
    )
    assert (ran.returncode, ran.stdout) == (3, "")
    assert "127.0.0.1:9" in ran.stderr


def test_every_file_of_the_packages_comes_with_it(installed: Installed) -> None:
    """Templates and schemas too; what builds the consumers' own distribution stays."""
    with zipfile.ZipFile(installed.wheel) as wheel:
        names = set(wheel.namelist())
    beside = {f"optimizer/assignor/{name}" for name in ("LICENSE", "README.md", "pyproject.toml")}
    missing = [
        name
        for package in ("evenfleet", "optimizer", "spark")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and not {"java", "__pycache__"}.intersection(path.parts)
        if (name := path.relative_to(ROOT).as_posix()) not in names | beside
    ]
    assert missing == []


def test_a_fleet_is_planned(installed: Installed) -> None:
    """In Spark's workers, which have nothing but the wheel either."""
    ran = installed.run("plan", "store", "--out", "plan", "--master", "local[2]")
    assert ran.returncode == 0, ran.stderr
    assert "Snapshot 20261121T060000Z of " in ran.stderr
