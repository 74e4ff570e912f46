package io.evenfleet;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An assignment for a group that no plan fits. */
final class Fallback {
    /** The group waits, and Kafka's sticky assignor is quadratic in unlucky cases. */
    private static final long STICKY_MILLIS = 3000;

    private static final Logger LOG = LoggerFactory.getLogger(PlanAssignor.class);

    private Fallback() {
    }

    /** By member id: what Kafka's own assignor gives, or a plain answer if it can't in time. */
    static Map<String, List<TopicPartition>> assign(
            ConsumerPartitionAssignor sticky, Cluster cluster, JoiningGroup group) {
        try {
            return Timeout.millis(STICKY_MILLIS, () -> sticky(sticky, cluster, group));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return leastLoaded(group);
        } catch (Exception failed) {
            LOG.warn("no sticky assignment ({}): each partition goes to the least loaded",
                failed.toString());
            return leastLoaded(group);
        }
    }

    /** Who reads nothing takes no part: Kafka's assignor can give partitions to such a member. */
    private static Map<String, List<TopicPartition>> sticky(
            ConsumerPartitionAssignor sticky, Cluster cluster, JoiningGroup group) {
        Map<String, Subscription> subscriptions = new HashMap<>();
        for (JoiningMember member : group.members) {
            if (!member.topics.isEmpty()) {
                subscriptions.put(member.memberId, asJavaSays(member, group));
            }
        }
        Map<String, List<TopicPartition>> target = new HashMap<>();
        if (!subscriptions.isEmpty()) {
            sticky.assign(cluster, new GroupSubscription(subscriptions)).groupAssignment()
                .forEach((id, assignment) -> target.put(id, assignment.partitions()));
        }
        return repaired(target, group);
    }

    /**
     * The target, but for what goes to members that don't read it, or to two: their next reader
     * gets that. Kafka's sticky assignors give such where a member missed a generation.
     */
    private static Map<String, List<TopicPartition>> repaired(
            Map<String, List<TopicPartition>> target, JoiningGroup group) {
        Map<String, List<TopicPartition>> sound = new HashMap<>();
        Set<TopicPartition> given = new HashSet<>();
        Set<TopicPartition> astray = new LinkedHashSet<>();
        for (JoiningMember member : group.members) {
            List<TopicPartition> kept = new ArrayList<>();
            for (TopicPartition one : target.getOrDefault(member.memberId, List.of())) {
                if (!member.topics.contains(one.topic())) {
                    astray.add(one);
                } else if (given.add(one)) {
                    kept.add(one);
                }
            }
            sound.put(member.memberId, kept);
        }
        astray.removeAll(new HashSet<>(given));
        for (TopicPartition one : astray) {
            group.members.stream()
                .filter(member -> member.topics.contains(one.topic()))
                .map(member -> sound.get(member.memberId))
                .min(Comparator.comparingInt(List::size))
                .ifPresent(least -> least.add(one));
        }
        return sound;
    }

    /**
     * A subscription with claims where Kafka's assignors look for them.
     *
     * <p>Of a partition that isn't there any more they lose count, and give others away twice.
     */
    private static Subscription asJavaSays(JoiningMember member, JoiningGroup group) {
        Subscription stated = member.subscription;
        List<TopicPartition> claims = new ArrayList<>(member.claims);
        claims.removeIf(
            claim -> claim.partition() >= group.topics.getOrDefault(claim.topic(), 0));
        if (!member.mark.isThere()
                && claims.size() == stated.ownedPartitions().size()
                && member.topics.size() == stated.topics().size()) {
            return stated;
        }
        Subscription sound = new Subscription(
            new ArrayList<>(member.topics),
            member.mark.isThere() ? userData(claims, member.generation) : stated.userData(),
            claims,
            member.generation,
            stated.rackId());
        sound.setGroupInstanceId(stated.groupInstanceId());
        return sound;
    }

    /** Claims as StickyAssignor sends them: topics with their partitions, and the generation. */
    private static ByteBuffer userData(List<TopicPartition> claims, int generation) {
        Map<String, List<Integer>> byTopic = new TreeMap<>();
        for (TopicPartition claim : claims) {
            byTopic.computeIfAbsent(claim.topic(), any -> new ArrayList<>())
                .add(claim.partition());
        }
        int size = 8;
        for (Map.Entry<String, List<Integer>> entry : byTopic.entrySet()) {
            size += 6 + entry.getKey().getBytes(StandardCharsets.UTF_8).length
                + 4 * entry.getValue().size();
        }
        ByteBuffer data = ByteBuffer.allocate(size).putInt(byTopic.size());
        byTopic.forEach((topic, partitions) -> {
            byte[] name = topic.getBytes(StandardCharsets.UTF_8);
            data.putShort((short) name.length).put(name).putInt(partitions.size());
            partitions.forEach(data::putInt);
        });
        data.putInt(generation).flip();
        return data;
    }

    /** Topic by topic: its readers take turns, the least loaded first. */
    static Map<String, List<TopicPartition>> leastLoaded(JoiningGroup group) {
        Map<String, List<TopicPartition>> taken = new HashMap<>();
        group.members.forEach(member -> taken.put(member.memberId, new ArrayList<>()));
        group.topics.forEach((topic, count) -> {
            List<String> readers = new ArrayList<>();
            for (JoiningMember member : group.members) {
                if (member.topics.contains(topic)) {
                    readers.add(member.memberId);
                }
            }
            readers.sort(
                Comparator.<String>comparingInt(reader -> taken.get(reader).size())
                    .thenComparing(Names.BY_CODE_POINT));
            for (int partition = 0; partition < count; partition++) {
                taken.get(readers.get(partition % readers.size()))
                    .add(new TopicPartition(topic, partition));
            }
        });
        return taken;
    }
}
