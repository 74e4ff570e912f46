package io.evenfleet;

import java.util.ArrayList;
import java.util.Arrays;
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
        members = members(stated.get("members"));
        topics = topics(members);
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
                    "member_ids has " + Quoted.of(key) + ", which isn't among the members");
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

    private static Map<String, Map<String, int[]>> members(Object stated)
            throws PlanFileException {
        if (!(stated instanceof Map)) {
            throw new PlanFileException("members is no object");
        }
        Map<String, Map<String, int[]>> members = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry : ((Map<?, ?>) stated).entrySet()) {
            String member = (String) entry.getKey();
            if (!(entry.getValue() instanceof Map)) {
                throw new PlanFileException(
                    "what member " + Quoted.of(member) + " gets is no object");
            }
            Map<String, int[]> byTopic = new LinkedHashMap<>();
            for (Map.Entry<?, ?> part : ((Map<?, ?>) entry.getValue()).entrySet()) {
                String topic = (String) part.getKey();
                int[] numbers = numbers(part.getValue());
                if (numbers == null) {
                    throw new PlanFileException(
                        "partitions of " + Quoted.of(topic) + " for member " + Quoted.of(member)
                            + " are no list of whole numbers");
                }
                byTopic.put(topic, numbers);
            }
            members.put(member, byTopic);
        }
        return members;
    }

    /** Whole numbers, the largest and the smallest for those beyond, or null. */
    private static int[] numbers(Object stated) {
        if (!(stated instanceof List)) {
            return null;
        }
        int[] numbers = new int[((List<?>) stated).size()];
        int at = 0;
        for (Object number : (List<?>) stated) {
            if (!(number instanceof Long)) {
                return null;
            }
            numbers[at++] =
                (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, (Long) number));
        }
        return numbers;
    }

    /** Partitions of each topic have to be 0, 1, …, each once. */
    private static Map<String, Integer> topics(Map<String, Map<String, int[]>> members)
            throws PlanFileException {
        Map<String, List<int[]>> parts = new LinkedHashMap<>();
        for (Map<String, int[]> byTopic : members.values()) {
            byTopic.forEach(
                (topic, numbers) ->
                    parts.computeIfAbsent(topic, any -> new ArrayList<>()).add(numbers));
        }
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (Map.Entry<String, List<int[]>> part : parts.entrySet()) {
            int[] all = part.getValue().stream().flatMapToInt(Arrays::stream).sorted().toArray();
            check(part.getKey(), all);
            counts.put(part.getKey(), all.length);
        }
        return counts;
    }

    private static void check(String topic, int[] sorted) throws PlanFileException {
        for (int wanted = 0; wanted < sorted.length; wanted++) {
            int found = sorted[wanted];
            if (found < 0) {
                throw new PlanFileException(
                    "a partition of " + Quoted.of(topic) + " is negative");
            }
            if (found < wanted) {
                throw new PlanFileException(
                    "partition " + found + " of " + Quoted.of(topic) + " is there twice");
            }
            if (found > wanted) {
                throw new PlanFileException(topic + "-" + wanted + " is missing");
            }
        }
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
