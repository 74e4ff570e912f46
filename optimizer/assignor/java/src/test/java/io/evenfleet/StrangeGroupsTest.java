package io.evenfleet;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** Whatever members say, each gets an assignment: something thrown would stall the whole group. */
public final class StrangeGroupsTest {
    private static final String[] TOPICS = {"t", "u", "gone", ""};
    private static final String[] IDS = {"a", "b-00000000-0000-0000-0000-000000000001", "", "c"};
    private static final int[] PARTITIONS = {-1, 0, 1, 2, 3, 4, Integer.MAX_VALUE};

    private final Random chance = new Random(19);

    public void testEachMemberOfAnyGroupGetsAnAssignment() {
        Node[] none = {};
        Cluster cluster = new Cluster("c", List.of(),
            List.of(new PartitionInfo("t", 0, null, none, none),
                new PartitionInfo("t", 1, null, none, none),
                new PartitionInfo("u", 0, null, none, none)),
            Set.of(), Set.of());
        for (int turn = 0; turn < 2000; turn++) {
            PlanFollower assignor =
                turn % 2 == 0 ? new PlanAssignor() : new CooperativePlanAssignor();
            assignor.configure(Map.of("evenfleet.plan", "/nowhere/plan.json"));
            Map<String, Subscription> members = new HashMap<>();
            for (int member = chance.nextInt(4); member >= 0; member--) {
                members.put(IDS[member], subscription(turn % 3 == 0));
            }
            check(members, assignor.assign(cluster, new GroupSubscription(members)).groupAssignment());
        }
    }

    private Subscription subscription(boolean unchangeable) {
        List<String> topics = new ArrayList<>();
        List<TopicPartition> owned = new ArrayList<>();
        for (int at = chance.nextInt(4); at > 0; at--) {
            topics.add(TOPICS[chance.nextInt(TOPICS.length)]);
            owned.add(new TopicPartition(
                TOPICS[chance.nextInt(TOPICS.length)],
                PARTITIONS[chance.nextInt(PARTITIONS.length)]));
        }
        byte[][] said = {
            null, {}, new byte[9], {0, 0, 0, 7}, "[[[[".getBytes(), "[\"x\", 1, \"y\"]".getBytes(),
            "null".getBytes(), {0, 0, 0, 1, 0, 1, 't', 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 5}
        };
        byte[] data = said[chance.nextInt(said.length)];
        Subscription stated = new Subscription(
            topics,
            data == null ? null : ByteBuffer.wrap(data),
            unchangeable ? Collections.unmodifiableList(owned) : owned,
            chance.nextInt(10) - 5,
            Optional.empty());
        stated.setGroupInstanceId(Optional.of("").filter(any -> chance.nextBoolean()));
        return stated;
    }

    private static void check(Map<String, Subscription> members, Map<String, Assignment> answer) {
        if (!answer.keySet().equals(members.keySet())) {
            throw new AssertionError(answer + " for " + members);
        }
        Set<TopicPartition> given = new HashSet<>();
        answer.forEach((member, assignment) -> {
            for (TopicPartition one : assignment.partitions()) {
                if (!given.add(one) || !members.get(member).topics().contains(one.topic())) {
                    throw new AssertionError(answer + " for " + members);
                }
            }
        });
    }
}
