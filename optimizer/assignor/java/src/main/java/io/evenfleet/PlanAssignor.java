package io.evenfleet;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;

/**
 * Assigns what a plan says, under the eager protocol.
 *
 * <p>{@code partition.assignment.strategy=io.evenfleet.PlanAssignor} in each consumer of a group, and
 * {@code evenfleet.plan}: the file, or http(s) URL, that has the plan of the group as
 * {@code evenfleet export-plan} writes it. The group's leader reads it at each rebalance, within
 * {@code evenfleet.plan.timeout.ms} (2000). Members go by {@code group.instance.id}, or else by
 * {@code client.id}.
 *
 * <p>Whenever the plan can't be read or doesn't fit the group, the group gets the assignment of
 * Kafka's {@link StickyAssignor}, and the reason is logged, once. Nothing thrown leaves a rebalance:
 * it would stall the whole group.
 */
public final class PlanAssignor extends PlanFollower {
    /** As Kafka makes it of its class name. */
    public PlanAssignor() {
    }

    @Override
    public String name() {
        return "evenfleet-plan";
    }

    @Override
    public List<RebalanceProtocol> supportedProtocols() {
        return List.of(RebalanceProtocol.EAGER);
    }

    @Override
    ConsumerPartitionAssignor sticky() {
        return new StickyAssignor();
    }
}
