package io.evenfleet;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.TopicPartition;

/** A member that takes part in a rebalance. */
final class JoiningMember {
    static final int NO_GENERATION = -1;

    private static final Pattern UUID =
        Pattern.compile("-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\\z");

    final String memberId;
    /**
     * Its key in a plan: its group.instance.id, or else its client.id.
     *
     * <p>The leader isn't told client ids, but the coordinator makes a member id of one: a hyphen
     * and a UUID follow it.
     */
    final String key;
    final Set<String> topics;
    /** What it claims, of topics that it reads. */
    final List<TopicPartition> claims = new ArrayList<>();
    final int generation;
    final Mark mark;
    final Subscription subscription;

    JoiningMember(String memberId, Subscription subscription) {
        this.memberId = memberId;
        this.subscription = subscription;
        key = subscription.groupInstanceId()
            .filter(instance -> !instance.isEmpty())
            .orElseGet(() -> UUID.matcher(memberId).replaceFirst(""));
        topics = new HashSet<>(subscription.topics());
        for (TopicPartition claim : subscription.ownedPartitions()) {
            if (topics.contains(claim.topic())) {
                claims.add(claim);
            }
        }
        generation = subscription.generationId().orElse(NO_GENERATION);
        mark = Mark.of(subscription.userData());
    }

    /**
     * Whether it really has what it claims, in a group whose newest generation that is.
     *
     * <p>It hasn't if it got it under another member id: it fell out since and joined anew. Nor has
     * it if it missed a generation that it didn't even try to join, as a static member may that is
     * late: it is told so, drops all, and joins again.
     */
    boolean stands(int newest) {
        boolean rejoined = !mark.assignedAs.isEmpty() && !mark.assignedAs.equals(memberId);
        boolean missed = generation < newest && mark.joins == 1;
        return !rejoined && !missed;
    }
}
