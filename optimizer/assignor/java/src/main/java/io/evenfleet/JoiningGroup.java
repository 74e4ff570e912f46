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

    private final Map<String, Holders> holders = new HashMap<>();

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
    boolean isFreeFor(JoiningMember member, TopicPartition partition) {
        Holders ofTopic = holders.get(partition.topic());
        if (ofTopic == null || partition.partition() >= ofTopic.holder.length) {
            return true;
        }
        JoiningMember holder = ofTopic.holder[partition.partition()];
        return holder == null || (holder == member && !ofTopic.disputed[partition.partition()]);
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
            stated.removeIf(claim -> !stands || !member.topics.contains(claim.topic()));
        } catch (UnsupportedOperationException unchangeable) {
            return; // its partitions wait then until it gives them up
        }
        if (!stands) {
            member.claims.clear();
        }
    }

    private void findHolders() {
        topics.forEach((topic, count) -> holders.put(topic, new Holders(count)));
        for (JoiningMember member : members) {
            for (TopicPartition claim : member.claims) {
                Holders ofTopic = holders.get(claim.topic());
                if (ofTopic != null) {
                    ofTopic.claim(claim.partition(), member);
                }
            }
        }
    }

    /** Of those who claim a partition of a topic, the newest generation's. */
    private static final class Holders {
        final JoiningMember[] holder;
        final boolean[] disputed;

        Holders(int partitions) {
            holder = new JoiningMember[partitions];
            disputed = new boolean[partitions];
        }

        void claim(int partition, JoiningMember member) {
            if (partition < 0 || partition >= holder.length) {
                return;
            }
            JoiningMember other = holder[partition];
            if (other == null || other.generation < member.generation) {
                holder[partition] = member;
                disputed[partition] = false;
            } else if (other != member && other.generation == member.generation) {
                disputed[partition] = true;
            }
        }
    }
}
