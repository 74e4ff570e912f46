"""How even bytes can be over brokers at best, which no plan by counts promises."""

import numpy as np

from optimizer.replicas.numbering import NumberedCluster, in_scope, rack_needs


def most_bytes_bound(cluster: NumberedCluster) -> int:
    """Bytes that some broker has at least, wherever replicas go as racks want them.

    That is an even share of all; of each rack's least over the rack's brokers; what stands still
    at a broker; or the largest partition. To reach the least is NP-hard, so it need not be.
    """
    used = np.flatnonzero(cluster.used)
    if not len(used):
        return 0
    rows, _ = in_scope(cluster)
    sizes = cluster.sizes()[0].astype(object)  # whose sums may need more than 64 bits
    standing = cluster.kept
    standing[rows] = -1
    brokers = len(cluster.ids)
    weight = np.repeat(sizes[:, None], standing.shape[1], axis=1)
    still = np.zeros(brokers, object)
    np.add.at(still, standing[standing >= 0], weight[standing >= 0])
    bounds = [int(still.max())]
    total = int(still.sum())
    if len(rows):
        low, _ = rack_needs(cluster, rows)
        total += int((sizes[rows] * cluster.wanted[rows]).sum())
        bounds.append(int(sizes[rows].max()))
        for rack in range(len(cluster.racks)):
            here = cluster.rack_of == rack
            least = int((sizes[rows] * low[:, rack]).sum() + still[here].sum())
            if here.any():
                bounds.append(-(-least // int(here.sum())))
    return max(*bounds, -(-total // len(used)))
