package io.evenfleet;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/**
 * Times the leader's answer to a whole group of the plan in a file, each time with the reading of
 * it: milliseconds of the first to the last answer, by the clock and by the processors, by protocol.
 */
final class PlanBench {
    private PlanBench() {
    }

    public static void main(String[] arguments) throws Exception {
        Path file = Path.of(arguments[0]);
        int times = Integer.parseInt(arguments[1]);
        GroupPlan known = GroupPlan.read(Files.readAllBytes(file));
        Cluster cluster = cluster(known);
        for (PlanFollower assignor : List.of(new PlanAssignor(), new CooperativePlanAssignor())) {
            assignor.configure(
                Map.of("evenfleet.plan", file.toString(), "group.id", known.group));
            StringBuilder took = new StringBuilder(assignor.name());
            for (int turn = 0; turn < times; turn++) {
                GroupSubscription group = new GroupSubscription(subscriptions(known));
                long start = System.nanoTime();
                long spent = processor();
                Map<String, Assignment> answer = assignor.assign(cluster, group).groupAssignment();
                took.append(' ').append((System.nanoTime() - start) / 1_000_000)
                    .append('/').append((processor() - spent) / 1_000_000);
                check(known, answer, assignor.told());
            }
            System.out.println(took);
        }
    }

    /** Nanoseconds of all threads, the compiler's and the collector's included. */
    private static long processor() {
        return ((com.sun.management.OperatingSystemMXBean)
            ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static void check(GroupPlan plan, Map<String, Assignment> answer, String told) {
        int wanted = plan.topics.values().stream().mapToInt(Integer::intValue).sum();
        int given = answer.values().stream().mapToInt(one -> one.partitions().size()).sum();
        if (given != wanted || !told.endsWith("is in force")) {
            throw new AssertionError(given + " of " + wanted + " partitions: " + told);
        }
    }

    /** Each member has what the plan gives it, and reads all topics, in a list of its own. */
    private static Map<String, Subscription> subscriptions(GroupPlan plan) {
        Map<String, Subscription> members = new HashMap<>();
        plan.members.forEach((key, byTopic) -> {
            List<TopicPartition> owned = new ArrayList<>();
            byTopic.forEach((topic, partitions) -> {
                for (int partition : partitions) {
                    owned.add(new TopicPartition(topic, partition));
                }
            });
            members.put(
                key + "-" + UUID.nameUUIDFromBytes(key.getBytes()),
                new Subscription(
                    new ArrayList<>(plan.topics.keySet()), null, owned, 7, Optional.empty()));
        });
        return members;
    }

    private static Cluster cluster(GroupPlan plan) {
        Node[] none = {};
        List<PartitionInfo> partitions = new ArrayList<>();
        plan.topics.forEach((topic, count) -> {
            for (int partition = 0; partition < count; partition++) {
                partitions.add(new PartitionInfo(topic, partition, Node.noNode(), none, none));
            }
        });
        return new Cluster("c", List.of(), partitions, Set.of(), Set.of());
    }
}
