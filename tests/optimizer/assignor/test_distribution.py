"""The distribution `evenfleet-assignor`, built and installed as consumers have it."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import kafka
import pytest

from tests.paths import ROOT

SOURCE = ROOT / "optimizer" / "assignor"

ASSIGNS = """
import json, logging, sys
logging.basicConfig(level=logging.DEBUG)
from collections import namedtuple
from evenfleet_assignor import GroupPlan, PlanAssignor, rejoin
from kafka.protocol.consumer.metadata import ConsumerProtocolSubscription as Subscription

Joined = namedtuple("Joined", "member_id group_instance_id metadata")

class Cluster:
    def partitions_for_topic(self, topic):
        return set(range(4))

def member(name):
    said = Subscription(
        version=3, topics=["t"], user_data=b"", owned_partitions=[], generation_id=-1, rack_id=None
    )
    return Joined(name, name, said)

def assigned():
    answer = assignor.assign(Cluster(), [member("a"), member("b")])
    return {name: [list(one) for one in given.partitions()] for name, given in answer.items()}

assignor = PlanAssignor("plan.json", "g")
without = assigned()
with open("plan.json", "w") as file:
    members = {"a": {"t": [0, 1, 2]}, "b": {"t": [3]}}
    file.write(GroupPlan("c", "g", "s", members).to_text())
print(json.dumps([without, assigned(), sorted(sys.modules)]))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of an environment with the wheel and with kafka-python, and nothing else."""
    folder = tmp_path_factory.mktemp("consumer")
    copied = folder / "assignor"  # a build leaves its own folder beside the files
    shutil.copytree(SOURCE, copied, ignore=shutil.ignore_patterns("java", "__pycache__", "build"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(copied)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = folder.glob("evenfleet_assignor-*.whl")
    venv.create(folder / "venv", with_pip=False)
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as packed:
        assert {name.partition("/")[0].partition("-")[0] for name in packed.namelist()} == {
            "evenfleet_assignor"
        }
        assert not any(name.endswith("entry_points.txt") for name in packed.namelist())
        (license_,) = (name for name in packed.namelist() if name.endswith("/licenses/LICENSE"))
        assert packed.read(license_) == (ROOT / "LICENSE").read_bytes()
        packed.extractall(site)
    (site / "kafka").symlink_to(Path(kafka.__file__).parent)
    return folder / "venv" / "bin" / "python"


@pytest.mark.ends
def test_it_assigns_in_a_program_that_has_nothing_but_kafka_python(
    python: Path, tmp_path: Path
) -> None:
    """By its plan, and without one as kafka-python's sticky assignor does."""
    ran = subprocess.run(
        [python, "-I", "-c", ASSIGNS], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    without, by_plan, modules = json.loads(ran.stdout)
    assert [len(items) for items in without.values()] == [2, 2]
    assert by_plan == {"a": [["t", 0], ["t", 1], ["t", 2]], "b": [["t", 3]]}
    packages = {name.partition(".")[0] for name in modules}
    assert not packages & {"optimizer", "spark", "evenfleet", "numpy"}
    levels = {line.partition(":")[0] for line in ran.stderr.splitlines() if "the plan in" in line}
    assert levels == {"WARNING"}, ran.stderr


def test_it_needs_the_kafka_python_of_evenfleet() -> None:
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    alone = tomllib.loads((SOURCE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert alone["dependencies"] == [
        item for item in whole["optional-dependencies"]["live"] if item.startswith("kafka-python")
    ]


def test_the_jar_and_the_images_of_examples_have_the_version_of_the_file() -> None:
    """optimizer/assignor/VERSION is the one place for it; a pom can't read a file."""
    version = (SOURCE / "VERSION").read_text(encoding="utf-8").strip()
    pom = (SOURCE / "java/pom.xml").read_text(encoding="utf-8")
    assert re.search("<version>(.+?)</version>", pom)[1] == version  # type: ignore[index]
    examples = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "conf/examples").glob("*.yaml")
    )
    assert set(re.findall(r"evenfleet:([\d.]+)", examples)) == {version}
