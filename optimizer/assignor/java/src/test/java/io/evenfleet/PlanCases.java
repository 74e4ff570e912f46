package io.evenfleet;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** Answers cases of plans and groups, a line of JSON each, as tests/data/plan_cases.jsonl.gz has them. */
final class PlanCases {
    private PlanCases() {
    }

    public static void main(String[] none) throws Exception {
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            out.println(text(answer(read(line))));
        }
        out.flush();
    }

    static Map<?, ?> read(String line) throws PlanFileException {
        return (Map<?, ?>) Json.read(line.getBytes(StandardCharsets.UTF_8));
    }

    /** {@code why} the plan isn't used (null: it is), {@code assignment}, {@code first_round}. */
    static Map<String, Object> answer(Map<?, ?> given) throws Exception {
        Path file = Files.createTempFile("plan", ".json");
        try {
            Files.write(file, Base64.getDecoder().decode((String) given.get("plan")));
            Map<String, Object> answer = new LinkedHashMap<>();
            PlanAssignor eager = new PlanAssignor();
            answer.put("assignment", assigned(eager, file, given));
            answer.put("first_round", assigned(new CooperativePlanAssignor(), file, given));
            String told = eager.told();
            answer.put("why", told.startsWith("of snapshot") ? null : told.split(": ", 2)[1]);
            return answer;
        } finally {
            Files.delete(file);
        }
    }

    private static Map<String, Map<String, List<Integer>>> assigned(
            PlanFollower assignor, Path file, Map<?, ?> given) {
        assignor.configure(
            Map.of("evenfleet.plan", file.toString(), "group.id", given.get("group"),
                "evenfleet.plan.timeout.ms", "60000"));
        Map<String, Subscription> members = new HashMap<>();
        for (Object member : (List<?>) given.get("members")) {
            Map<?, ?> stated = (Map<?, ?>) member;
            members.put((String) stated.get("id"), subscription(stated));
        }
        Map<String, Map<String, List<Integer>>> answer = new TreeMap<>();
        assignor.assign(cluster((Map<?, ?>) given.get("topics")), new GroupSubscription(members))
            .groupAssignment()
            .forEach((id, assignment) -> answer.put(id, byTopic(assignment)));
        return answer;
    }

    private static Map<String, List<Integer>> byTopic(Assignment assignment) {
        Map<String, List<Integer>> found = new TreeMap<>();
        for (TopicPartition one : assignment.partitions()) {
            found.computeIfAbsent(one.topic(), any -> new ArrayList<>()).add(one.partition());
        }
        found.values().forEach(partitions -> partitions.sort(null));
        return found;
    }

    private static Subscription subscription(Map<?, ?> stated) {
        List<String> topics =
            ((List<?>) stated.get("topics")).stream().map(String.class::cast)
                .collect(Collectors.toList());
        List<TopicPartition> owned = new ArrayList<>();
        ((Map<?, ?>) stated.get("owned")).forEach((topic, partitions) -> {
            for (Object partition : (List<?>) partitions) {
                owned.add(new TopicPartition((String) topic, ((Long) partition).intValue()));
            }
        });
        String userData = (String) stated.get("user_data");
        Subscription subscription = new Subscription(
            topics,
            userData == null ? null : ByteBuffer.wrap(Base64.getDecoder().decode(userData)),
            owned,
            ((Long) stated.get("generation")).intValue(),
            Optional.empty());
        subscription.setGroupInstanceId(Optional.ofNullable((String) stated.get("instance")));
        return subscription;
    }

    private static Cluster cluster(Map<?, ?> topics) {
        Node[] none = {};
        List<PartitionInfo> partitions = new ArrayList<>();
        topics.forEach((topic, count) -> {
            for (int partition = 0; partition < (Long) count; partition++) {
                partitions.add(
                    new PartitionInfo((String) topic, partition, Node.noNode(), none, none));
            }
        });
        return new Cluster("c", List.of(), partitions, java.util.Set.of(), java.util.Set.of());
    }

    /** JSON in ASCII. */
    static String text(Object value) {
        if (value instanceof Map) {
            return ((Map<?, ?>) value).entrySet().stream()
                .map(entry -> text(entry.getKey()) + ":" + text(entry.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof List) {
            return ((List<?>) value).stream().map(PlanCases::text)
                .collect(Collectors.joining(",", "[", "]"));
        }
        return value instanceof String ? Mark.json((String) value) : String.valueOf(value);
    }
}
