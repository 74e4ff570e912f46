package io.evenfleet;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The plan of one group: what {@code evenfleet export-plan} writes, docs/plan_file.schema.json
 * describes and Python's {@code optimizer.assignor.plan_file} reads by the same rules.
 */
final class GroupPlan {
    private static final String FORMAT = "evenfleet-plan";

    private static final Pattern TOPIC_ID = Pattern.compile("[A-Za-z0-9_-]{21}[AQgw]");

    final String cluster;
    final String group;
    final String snapshot;
    /** By member's key (its group.instance.id, or else its client.id): partitions by topic. */
    final Map<String, Map<String, int[]>> members;
    /** Number of partitions of each topic that the plan hands out. */
    final Map<String, Integer> topics;
    /** Kafka's id of each topic, as far as it is known. */
    final Map<String, String> topicIds;
    /** Member ids of members that a broker can't know by their key. */
    final Map<String, String> memberIds;

    private GroupPlan(Map<?, ?> stated) throws PlanFileException {
        cluster = text(stated, "cluster");
        group = text(stated, "group");
        snapshot = text(stated, "snapshot");
        Map<String, Map<String, List<Long>>> lists = lists(stated.get("members"));
        topics = topics(lists);
        members = arrays(lists);
        if (stated.get("version").equals(1L)) {
            topicIds = Map.of();
            memberIds = Map.of();
            return;
        }
        Object protocol = stated.get("protocol");
        if (!"classic".equals(protocol) && !"consumer".equals(protocol)) {
            throw new PlanFileException("protocol is neither 'classic' nor 'consumer'");
        }
        topicIds = names("topic_ids", stated.get("topic_ids"));
        for (Map.Entry<String, String> entry : topicIds.entrySet()) {
            if (!TOPIC_ID.matcher(entry.getValue()).matches()) {
                throw new PlanFileException(
                    "the topic_ids entry of " + Quoted.of(entry.getKey())
                        + " is no id as Kafka writes it");
            }
        }
        memberIds = stated.containsKey("member_ids")
            ? names("member_ids", stated.get("member_ids"))
            : Map.of();
        for (String key : memberIds.keySet()) {
            if (!members.containsKey(key)) {
                throw new PlanFileException(
                    "member_ids has " + Quoted.of(key) + ", who isn't among the members");
            }
        }
    }

    /** The plan that a text holds; PlanFileException tells the first thing that is wrong with it. */
    static GroupPlan read(byte[] text) throws PlanFileException {
        Object stated = Json.read(text);
        if (!(stated instanceof Map) || !FORMAT.equals(((Map<?, ?>) stated).get("format"))) {
            throw new PlanFileException("it has no \"format\": \"" + FORMAT + "\"");
        }
        Object version = ((Map<?, ?>) stated).get("version");
        if (!(version instanceof Long)) {
            throw new PlanFileException("its version is no whole number");
        }
        if (!version.equals(1L) && !version.equals(2L)) {
            throw new PlanFileException("it is of version " + version + ", and 1 and 2 can be read");
        }
        return new GroupPlan((Map<?, ?>) stated);
    }

    private static String text(Map<?, ?> stated, String name) throws PlanFileException {
        Object value = stated.get(name);
        if (!(value instanceof String)) {
            throw new PlanFileException(name + " is no text");
        }
        return (String) value;
    }

    private static Map<String, Map<String, List<Long>>> lists(Object members)
            throws PlanFileException {
        if (!(members instanceof Map)) {
            throw new PlanFileException("members is no object");
        }
        Map<String, Map<String, List<Long>>> lists = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry : ((Map<?, ?>) members).entrySet()) {
            String member = (String) entry.getKey();
            if (!(entry.getValue() instanceof Map)) {
                throw new PlanFileException(
                    "what member " + Quoted.of(member) + " gets is no object");
            }
            Map<String, List<Long>> byTopic = new LinkedHashMap<>();
            for (Map.Entry<?, ?> part : ((Map<?, ?>) entry.getValue()).entrySet()) {
                String topic = (String) part.getKey();
                byTopic.put(topic, numbers(part.getValue(), topic, member));
            }
            lists.put(member, byTopic);
        }
        return lists;
    }

    private static List<Long> numbers(Object stated, String topic, String member)
            throws PlanFileException {
        List<Long> numbers = new ArrayList<>();
        if (stated instanceof List) {
            for (Object number : (List<?>) stated) {
                if (number instanceof Long) {
                    numbers.add((Long) number);
                }
            }
        }
        if (!(stated instanceof List) || numbers.size() < ((List<?>) stated).size()) {
            throw new PlanFileException(
                "partitions of " + Quoted.of(topic) + " for member " + Quoted.of(member)
                    + " are no list of whole numbers");
        }
        return numbers;
    }

    /** Partitions of each topic have to be 0, 1, …, each once. */
    private static Map<String, Integer> topics(Map<String, Map<String, List<Long>>> members)
            throws PlanFileException {
        Map<String, List<Long>> parts = new LinkedHashMap<>();
        for (Map<String, List<Long>> byTopic : members.values()) {
            byTopic.forEach(
                (topic, numbers) ->
                    parts.computeIfAbsent(topic, any -> new ArrayList<>()).addAll(numbers));
        }
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (Map.Entry<String, List<Long>> part : parts.entrySet()) {
            part.getValue().sort(null);
            long wanted = 0;
            for (long found : part.getValue()) {
                if (found < wanted) {
                    throw new PlanFileException(
                        "partition " + found + " of " + Quoted.of(part.getKey())
                            + " can't be there, or not twice");
                }
                if (found > wanted) {
                    throw new PlanFileException(part.getKey() + "-" + wanted + " is missing");
                }
                wanted++;
            }
            counts.put(part.getKey(), part.getValue().size());
        }
        return counts;
    }

    private static Map<String, Map<String, int[]>> arrays(
            Map<String, Map<String, List<Long>>> lists) {
        Map<String, Map<String, int[]>> arrays = new LinkedHashMap<>();
        lists.forEach((member, byTopic) -> {
            Map<String, int[]> part = new LinkedHashMap<>();
            byTopic.forEach(
                (topic, numbers) ->
                    part.put(topic, numbers.stream().mapToInt(Long::intValue).toArray()));
            arrays.put(member, part);
        });
        return arrays;
    }

    private static Map<String, String> names(String name, Object stated) throws PlanFileException {
        if (!(stated instanceof Map)) {
            throw new PlanFileException(name + " is no object");
        }
        Map<String, String> names = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry : ((Map<?, ?>) stated).entrySet()) {
            if (!(entry.getValue() instanceof String)) {
                throw new PlanFileException(
                    "the " + name + " entry of " + Quoted.of((String) entry.getKey())
                        + " is no text");
            }
            names.put((String) entry.getKey(), (String) entry.getValue());
        }
        checkEachOnce(name, names);
        return names;
    }

    private static void checkEachOnce(String name, Map<String, String> names)
            throws PlanFileException {
        Map<String, Integer> times = new HashMap<>();
        names.values().forEach(one -> times.merge(one, 1, Integer::sum));
        Set<String> told = new HashSet<>();
        for (String one : names.values()) {
            if (told.add(one) && times.get(one) > 1) {
                throw new PlanFileException(
                    name + " has " + Quoted.of(one) + " " + times.get(one) + " times");
            }
        }
    }
}
