package io.evenfleet;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** A group as its leader sees it at a rebalance. */
final class JoiningGroup {
    final List<JoiningMember> members = new ArrayList<>();
    /** Number of partitions of each topic that somebody reads and the cluster has. */
    final SortedMap<String, Integer> topics = new TreeMap<>(Names.BY_CODE_POINT);

    /** Of those who claim a partition, the ids of the newest generation's. */
    private final Map<TopicPartition, Set<String>> holders = new HashMap<>();

    /**
     * The group of these subscriptions by member id.
     *
     * <p>Claims that don't stand any more are taken out of the members' own lists: the consumer
     * compares them with the answer, and would see a partition given away that is still owned.
     */
    JoiningGroup(Cluster cluster, Map<String, Subscription> subscriptions) {
        subscriptions.forEach((id, stated) -> members.add(new JoiningMember(id, stated)));
        Set<String> read = new HashSet<>();
        int newest = members.stream().mapToInt(member -> member.generation).max()
            .orElse(JoiningMember.NO_GENERATION);
        for (JoiningMember member : members) {
            withdraw(member, newest);
            read.addAll(member.topics);
        }
        for (String topic : read) {
            int count = partitions(cluster, topic);
            if (count > 0) {
                topics.put(topic, count);
            }
        }
        findHolders();
    }

    /** Whether it can be handed to that member now: nobody else still has it. */
    boolean isFreeFor(String memberId, TopicPartition partition) {
        Set<String> having = holders.get(partition);
        return having == null || having.equals(Set.of(memberId));
    }

    private static int partitions(Cluster cluster, String topic) {
        List<PartitionInfo> known = cluster.partitionsForTopic(topic);
        return known.stream().mapToInt(PartitionInfo::partition).max().orElse(-1) + 1;
    }

    private static void withdraw(JoiningMember member, int newest) {
        List<TopicPartition> stated = member.subscription.ownedPartitions();
        boolean stands = member.stands(newest);
        if (stands && stated.size() == member.claims.size()) {
            return;
        }
        try {
            stated.removeIf(claim -> !stands || !member.claims.contains(claim));
        } catch (UnsupportedOperationException unchangeable) {
            return; // its partitions wait then until it gives them up
        }
        if (!stands) {
            member.claims.clear();
        }
    }

    private void findHolders() {
        Map<TopicPartition, Integer> newest = new HashMap<>();
        for (JoiningMember member : members) {
            for (TopicPartition claim : member.claims) {
                newest.merge(claim, member.generation, Math::max);
            }
        }
        for (JoiningMember member : members) {
            for (TopicPartition claim : member.claims) {
                if (newest.get(claim) == member.generation) {
                    holders.computeIfAbsent(claim, any -> new HashSet<>()).add(member.memberId);
                }
            }
        }
    }
}
