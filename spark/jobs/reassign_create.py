"""`evenfleet reassign --create`: where the replicas of topics to come go."""

from pathlib import Path

from spark.errors import InputError
from spark.jobs.reassign_options import ExecuteOptions, ReplicaOptions
from spark.reassign import cluster_facts, new_topic, place_new, write_new
from spark.terminal import SnapshotOptions, Table, busy, clusters_read, say, say_clusters, show


def create_topics(
    source: SnapshotOptions, replicas: ReplicaOptions, execution: ExecuteOptions, out: Path | None
) -> None:
    """Print each topic's `--replica-assignment`, and write it into a folder if there is one."""
    if execution.execute:
        raise InputError("--create writes text for kafka-topics: leave out --execute")
    if moves := replicas.of_moves():
        raise InputError(f"--create moves no replica that is there: leave out {', '.join(moves)}")
    topics = [new_topic(text) for text in replicas.create or ()]
    with source.opener() as opener:
        fleet = source.few(opener, "reassign")
        current = cluster_facts(fleet, replicas.cluster)
        with busy("placing new topics"):
            placement = place_new(current, topics, replicas.wanted(current))
            sentences = list(placement.sentences())
    written = write_new(placement, out) if out else []
    assignments = [
        {"topic": topic, "replica_assignment": text} for topic, text in placement.texts.items()
    ]
    show(
        {
            "brokers": Table(placement.brokers()),
            "assignments": Table(assignments, is_shown=False),
            "sentences": Table(sentences, title="placement"),
            "files": Table([{"file": str(path)} for path in written], is_shown=False),
        }
        | clusters_read(fleet)
    )
    for topic, text in placement.texts.items():
        argument = f'"$(cat {out}/create-{topic}.txt)"' if out else text
        say(f"kafka-topics … --create --topic {topic} --replica-assignment {argument}")
    say_clusters(fleet)
