"""Lateness of hot partitions, which no number of members avoids."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from optimizer.model import Reals
from optimizer.scaling.process import Process, steps_in


class Inevitable(NamedTuple):
    """Of each interval: partition-seconds late, and seconds in which any partition is."""

    partitions: Reals
    any_partition: Reals


def inevitable_lateness(process: Process, late_after: float, step: float) -> Inevitable:
    """How late partitions are for any number of members, in steps of at most `step` seconds.

    A partition is read by one member at most: if that reads nothing else and never pauses, it is
    no further behind than this.
    """
    partitions, any_partition = np.zeros(len(process.rates)), np.zeros(len(process.rates))
    hot = process.hot
    lag = np.zeros(len(hot))
    for interval, rates in enumerate(process.arrivals[:, hot] if len(hot) else ()):
        if not process.is_known[interval]:
            continue
        seconds = float(process.edges[interval + 1] - process.edges[interval])
        steps, length = steps_in(seconds, step)
        ends = np.arange(1, steps + 1) * length
        behind = np.maximum(lag[:, None] + (rates - process.peak_rate)[:, None] * ends, 0.0)
        is_late = behind > (np.maximum(rates, process.usual[hot]) * late_after)[:, None]
        partitions[interval] = float(is_late.sum()) * length
        any_partition[interval] = float(is_late.any(axis=0).sum()) * length
        lag = behind[:, -1]
    return Inevitable(partitions, any_partition)
