"""Kafka Connect's own assignment of tasks to workers, eager and incremental cooperative.

A group of Connect workers is a problem like any other: its topics are connectors, partition n of a
connector is its task n, and its members are the workers. The connectors' own instances, which
Connect places as well, are in no table: each strategy says what it takes for granted of them.
"""

from optimizer.strategies.connect.cooperative import (
    assign_connect_cooperative,
    assign_connect_eager,
)
