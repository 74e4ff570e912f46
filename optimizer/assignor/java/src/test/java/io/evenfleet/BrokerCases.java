package io.evenfleet;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.MemberSubscription;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;

/**
 * Lets the broker's assignor answer, as a broker asks it: a line of JSON a folder of plans.
 *
 * <p>{@code plans} (texts by file), and {@code calls}: each has {@code topics} (partitions by id) and
 * {@code members} (id, instance, topics, has). Answers: partitions by member and topic id, a call.
 */
final class BrokerCases {
    private BrokerCases() {
    }

    public static void main(String[] none) throws Exception {
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            out.println(PlanCases.text(answers(PlanCases.read(line))));
        }
        out.flush();
        System.exit(0);
    }

    private static List<Object> answers(Map<?, ?> stated) throws Exception {
        Path folder = Files.createTempDirectory("plans");
        for (Map.Entry<?, ?> plan : ((Map<?, ?>) stated.get("plans")).entrySet()) {
            Files.writeString(folder.resolve((String) plan.getKey()), (String) plan.getValue());
        }
        BrokerPlanAssignor assignor = new BrokerPlanAssignor();
        assignor.configure(Map.of("evenfleet.plans", folder.toString()));
        List<Object> answers = new ArrayList<>();
        for (Object call : (List<?>) stated.get("calls")) {
            answers.add(answer(assignor, (Map<?, ?>) call));
        }
        return answers;
    }

    private static Object answer(BrokerPlanAssignor assignor, Map<?, ?> call) {
        Map<Uuid, Integer> sizes = new HashMap<>();
        ((Map<?, ?>) call.get("topics")).forEach(
            (id, count) -> sizes.put(Uuid.fromString((String) id), ((Long) count).intValue()));
        GroupAssignment answer = assignor.assign(new Group((List<?>) call.get("members")), new Sizes(sizes));
        Map<String, Object> found = new TreeMap<>();
        answer.members().forEach((id, assignment) -> {
            Map<String, List<Integer>> byTopic = new TreeMap<>();
            assignment.partitions().forEach((topic, partitions) -> {
                List<Integer> sorted = new ArrayList<>(partitions);
                sorted.sort(null);
                byTopic.put(topic.toString(), sorted);
            });
            found.put(id, byTopic);
        });
        return found;
    }

    private static final class Sizes implements SubscribedTopicDescriber {
        private final Map<Uuid, Integer> sizes;

        Sizes(Map<Uuid, Integer> sizes) {
            this.sizes = sizes;
        }

        @Override
        public int numPartitions(Uuid topic) {
            return sizes.getOrDefault(topic, -1);
        }

        @Override
        public Set<String> racksForPartition(Uuid topic, int partition) {
            return Set.of();
        }
    }

    private static final class Group implements GroupSpec {
        private final Map<String, Map<?, ?>> members = new HashMap<>();

        Group(List<?> stated) {
            for (Object member : stated) {
                members.put((String) ((Map<?, ?>) member).get("id"), (Map<?, ?>) member);
            }
        }

        @Override
        public Collection<String> memberIds() {
            return members.keySet();
        }

        @Override
        public SubscriptionType subscriptionType() {
            return SubscriptionType.HETEROGENEOUS;
        }

        @Override
        public boolean isPartitionAssigned(Uuid topic, int partition) {
            throw new UnsupportedOperationException();
        }

        // newer brokers have it
        public boolean isPartitionAssignable(Uuid topic, int partition) {
            return true;
        }

        @Override
        public MemberSubscription memberSubscription(String id) {
            Map<?, ?> member = members.get(id);
            Set<Uuid> topics = new HashSet<>();
            for (Object topic : (List<?>) member.get("topics")) {
                topics.add(Uuid.fromString((String) topic));
            }
            return new Subscription(Optional.ofNullable((String) member.get("instance")), topics);
        }

        @Override
        public MemberAssignment memberAssignment(String id) {
            Map<Uuid, Set<Integer>> has = new HashMap<>();
            ((Map<?, ?>) members.get(id).get("has")).forEach((topic, partitions) -> {
                Set<Integer> numbers = new HashSet<>();
                ((List<?>) partitions).forEach(one -> numbers.add(((Long) one).intValue()));
                has.put(Uuid.fromString((String) topic), numbers);
            });
            return () -> has;
        }
    }

    private static final class Subscription implements MemberSubscription {
        private final Optional<String> instance;
        private final Set<Uuid> topics;

        Subscription(Optional<String> instance, Set<Uuid> topics) {
            this.instance = instance;
            this.topics = topics;
        }

        @Override
        public Optional<String> rackId() {
            return Optional.empty();
        }

        @Override
        public Optional<String> instanceId() {
            return instance;
        }

        @Override
        public Set<Uuid> subscribedTopicIds() {
            return topics;
        }
    }
}
