"""Times the Java assignor's answer for 10,000 members and 500,000 partitions, the plan's file read.

Each member reads all of 50 topics and gets a partition of each, so that the file has the most
entries for its partitions. The first answer comes from a JVM that has seen the plan once.

    python tests/bench/java_plan.py
    python tests/bench/java_plan.py --members 1000 --topics 10
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from optimizer.assignor.plan_file import GroupPlan
from tests.support.assignor_jar import assignor_jar, java


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--members", type=int, default=10_000)
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    topics = [f"topic-{number}" for number in range(options.topics)]
    members = {
        f"worker-{number}": {topic: [number] for topic in topics}
        for number in range(options.members)
    }
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "plan.json"
        file.write_text(GroupPlan("c", "g", "s", members).to_text())
        megabytes = file.stat().st_size / 2**20
        print(
            f"{options.members} members, {options.members * options.topics} partitions, "
            f"a file of {megabytes:.1f} MiB; milliseconds of each answer, "
            "by the clock / of the processors, the JVM's compiler and collector included:"
        )
        command = [java(), "-cp", assignor_jar().tests, "io.evenfleet.PlanBench"]
        subprocess.run([*command, str(file), str(options.times)], check=True)


if __name__ == "__main__":
    main()
