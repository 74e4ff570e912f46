"""Snapshots of live clusters, with kafka-python (the extra `live`); all of it only reads."""
