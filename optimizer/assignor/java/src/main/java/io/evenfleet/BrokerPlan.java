package io.evenfleet;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Uuid;

/** A plan as a broker can use it: by topic ids, and with what tells its group from others. */
final class BrokerPlan {
    final String file;
    final GroupPlan plan;
    final Map<Uuid, String> topics = new HashMap<>();
    /** By member's key: the partitions of each topic that it gets. */
    final Map<String, Map<Uuid, int[]>> members = new HashMap<>();

    private final Map<String, String> keyOfMemberId = new HashMap<>();
    private final Map<String, String> present = new HashMap<>();
    private final Set<String> replaced = new HashSet<>();
    private boolean contested;
    private String told = "";

    /** PlanFileException if a topic's id isn't in the file. */
    BrokerPlan(String file, GroupPlan plan) throws PlanFileException {
        this.file = file;
        this.plan = plan;
        plan.memberIds.forEach((key, memberId) -> keyOfMemberId.put(memberId, key));
        Map<String, Uuid> ids = new HashMap<>();
        for (String topic : plan.topics.keySet()) {
            String id = plan.topicIds.get(topic);
            if (id == null) {
                throw new PlanFileException(
                    "it has no id of topic " + Quoted.of(topic)
                        + ", by which alone a broker knows topics: plan a snapshot that has it");
            }
            ids.put(topic, Uuid.fromString(id));
            topics.put(ids.get(topic), topic);
        }
        plan.members.forEach((key, byTopic) -> {
            Map<Uuid, int[]> part = new HashMap<>();
            byTopic.forEach((topic, partitions) -> part.put(ids.get(topic), partitions));
            members.put(key, part);
        });
    }

    /** What a broker may know a member by: group.instance.ids, and member ids in the file. */
    Set<String> names() {
        Set<String> names = new HashSet<>(members.keySet());
        names.addAll(keyOfMemberId.keySet());
        return names;
    }

    /** The key of a member, or null if the plan hasn't got it. */
    String keyOf(String memberId, String instanceId) {
        if (instanceId != null && members.containsKey(instanceId)) {
            return instanceId;
        }
        return keyOfMemberId.get(memberId);
    }

    /**
     * Whether two groups go by the keys of this plan, as these members (ids by key) show.
     *
     * <p>A member that starts anew comes under another id, and its old one never comes back. If it
     * does, both live: the plan is one group's, nobody knows whose, and nobody is to have it until
     * its file changes.
     */
    synchronized boolean isContested(Map<String, String> idByKey) {
        idByKey.forEach((key, memberId) -> {
            contested |= replaced.contains(memberId);
            String before = present.put(key, memberId);
            if (before != null && !before.equals(memberId)) {
                replaced.add(before);
            }
        });
        return contested;
    }

    /** Whether that isn't what was told of the plan last; it is from now on. */
    synchronized boolean isNews(String what) {
        boolean news = !what.equals(told);
        told = what;
        return news;
    }
}
