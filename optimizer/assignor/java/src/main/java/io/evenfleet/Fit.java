package io.evenfleet;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Whether a plan fits the group that is there: the rules of Python's {@code fit.misfit}. */
final class Fit {
    private final GroupPlan plan;
    private final JoiningGroup group;
    private final Map<String, JoiningMember> present = new LinkedHashMap<>();

    private Fit(GroupPlan plan, JoiningGroup group) {
        this.plan = plan;
        this.group = group;
    }

    /**
     * The first reason why the plan isn't one for the group of that name, or null.
     *
     * <p>A plan fits when its members are those who are there, each partition of the topics that
     * they read is in it, and each goes to a member that reads its topic. A member that reads
     * nothing and isn't in the plan is no hindrance.
     */
    static String misfit(GroupPlan plan, String name, JoiningGroup group) {
        if (!plan.group.equals(name)) {
            return "it is the plan of group " + Quoted.of(plan.group);
        }
        Fit fit = new Fit(plan, group);
        String reason = fit.ofMembers();
        if (reason == null) {
            reason = fit.ofTopics();
        }
        return reason == null ? fit.ofSubscriptions() : reason;
    }

    private String ofMembers() {
        Map<String, Integer> times = new TreeMap<>(Names.BY_CODE_POINT);
        for (JoiningMember member : group.members) {
            if (!member.topics.isEmpty() || plan.members.containsKey(member.key)) {
                times.merge(member.key, 1, Integer::sum);
                present.put(member.key, member);
            }
        }
        for (Map.Entry<String, Integer> entry : times.entrySet()) {
            if (entry.getValue() > 1) {
                return entry.getValue() + " members go by " + Quoted.of(entry.getKey())
                    + ": each needs a group.instance.id or a client.id of its own";
            }
        }
        for (String key : firstOf(plan.members.keySet(), present.keySet())) {
            return "its member " + Quoted.of(key) + " isn't in the group";
        }
        for (String key : firstOf(present.keySet(), plan.members.keySet())) {
            return "it has no member " + Quoted.of(key) + ", which is in the group";
        }
        return null;
    }

    private String ofTopics() {
        for (Map.Entry<String, Integer> planned : plan.topics.entrySet()) {
            String topic = planned.getKey();
            Integer there = group.topics.get(topic);
            if (there == null) {
                return "its topic " + Quoted.of(topic) + " isn't in the cluster, or no member reads it";
            }
            if (!there.equals(planned.getValue())) {
                return "it has " + planned.getValue() + " partitions of " + Quoted.of(topic)
                    + ", and there are " + there;
            }
        }
        for (String topic : firstOf(group.topics.keySet(), plan.topics.keySet())) {
            return "it has nothing of " + Quoted.of(topic) + ", which the group reads";
        }
        return null;
    }

    private String ofSubscriptions() {
        for (Map.Entry<String, Map<String, int[]>> member : plan.members.entrySet()) {
            Set<String> read = present.get(member.getKey()).topics;
            for (Map.Entry<String, int[]> part : member.getValue().entrySet()) {
                if (part.getValue().length > 0 && !read.contains(part.getKey())) {
                    return "it gives " + Quoted.of(part.getKey()) + " to "
                        + Quoted.of(member.getKey()) + ", which doesn't read it";
                }
            }
        }
        return null;
    }

    /** The first of those names that aren't among the others, if there is one. */
    private static Set<String> firstOf(Set<String> names, Set<String> others) {
        SortedSet<String> left = new TreeSet<>(Names.BY_CODE_POINT);
        left.addAll(names);
        left.removeAll(new HashSet<>(others));
        return left.isEmpty() ? Set.of() : Set.of(left.first());
    }
}
