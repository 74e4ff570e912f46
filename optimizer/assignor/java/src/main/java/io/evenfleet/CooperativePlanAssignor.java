package io.evenfleet;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;

/**
 * Assigns what a plan says, under the cooperative protocol (KIP-429): a partition goes to its new
 * owner one rebalance after the old one gave it up.
 *
 * <p>All else is as {@link PlanAssignor} has it; without a plan, Kafka's
 * {@link CooperativeStickyAssignor} answers.
 */
public final class CooperativePlanAssignor extends PlanFollower {
    /** As Kafka makes it of its class name. */
    public CooperativePlanAssignor() {
    }

    @Override
    public String name() {
        return "cooperative-evenfleet-plan";
    }

    @Override
    public List<RebalanceProtocol> supportedProtocols() {
        return List.of(RebalanceProtocol.COOPERATIVE);
    }

    @Override
    ConsumerPartitionAssignor sticky() {
        return new CooperativeStickyAssignor();
    }
}
