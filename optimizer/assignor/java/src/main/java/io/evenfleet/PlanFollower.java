package io.evenfleet;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the assignors of both protocols share. */
abstract class PlanFollower implements ConsumerPartitionAssignor, Configurable {
    static final String PLAN = "evenfleet.plan";
    static final String TIMEOUT = "evenfleet.plan.timeout.ms";

    private static final Logger LOG = LoggerFactory.getLogger(PlanAssignor.class);

    private static final Comparator<TopicPartition> IN_ORDER =
        Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition);

    /** What this member remembers of itself, for the leader to be sticky by. */
    private final ConsumerPartitionAssignor own = sticky();

    private PlanSource source;
    private String group = "";
    private String told = "";

    /** Kafka's assignor of this protocol, a new one: it remembers generations. */
    abstract ConsumerPartitionAssignor sticky();

    @Override
    public void configure(Map<String, ?> settings) {
        Object plan = settings.get(PLAN);
        if (plan == null || plan.toString().isBlank()) {
            throw new ConfigException(PLAN + " has to name the file or URL of the group's plan");
        }
        source = new PlanSource(plan.toString(), timeout(settings.get(TIMEOUT)));
        Object named = settings.get("group.id");
        group = named == null ? "" : named.toString();
    }

    private static long timeout(Object stated) {
        try {
            int millis = stated == null ? 2000 : Integer.parseInt(stated.toString().trim());
            if (millis > 0) {
                return millis;
            }
        } catch (NumberFormatException odd) {
            // told below
        }
        throw new ConfigException(TIMEOUT, stated, "has to be a number of milliseconds");
    }

    @Override
    public ByteBuffer subscriptionUserData(Set<String> topics) {
        return own.subscriptionUserData(topics);
    }

    @Override
    public void onAssignment(Assignment assignment, ConsumerGroupMetadata metadata) {
        own.onAssignment(assignment, metadata);
    }

    @Override
    public GroupAssignment assign(Cluster cluster, GroupSubscription subscriptions) {
        Map<String, Assignment> answer = new HashMap<>();
        try {
            JoiningGroup joining = new JoiningGroup(cluster, subscriptions.groupSubscription());
            Map<String, List<TopicPartition>> target = target(cluster, joining);
            boolean waits = supportedProtocols().contains(RebalanceProtocol.COOPERATIVE);
            for (JoiningMember member : joining.members) {
                List<TopicPartition> given =
                    new ArrayList<>(target.getOrDefault(member.memberId, List.of()));
                if (waits) { // who has a partition loses it in this round, and joins again
                    given.removeIf(one -> !joining.isFreeFor(member, one));
                }
                given.sort(IN_ORDER);
                answer.put(
                    member.memberId, new Assignment(given, member.mark.echo(member.memberId)));
            }
        } catch (Throwable defect) {
            LOG.error("group {}: nothing is assigned, by a defect of Evenfleet's", group, defect);
            answer.clear();
            subscriptions.groupSubscription().keySet()
                .forEach(id -> answer.put(id, new Assignment(List.of())));
        }
        return new GroupAssignment(answer);
    }

    /** What the plan says, or what is assigned without one. */
    private Map<String, List<TopicPartition>> target(Cluster cluster, JoiningGroup joining) {
        GroupPlan plan = null;
        String reason;
        try {
            plan = GroupPlan.read(source.text());
            reason = Fit.misfit(plan, group, joining);
        } catch (Exception failed) {
            if (failed instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            reason = failed.getMessage() == null ? failed.toString() : failed.getMessage();
        }
        if (reason != null) {
            tell("isn't used, but Kafka's sticky strategy: " + reason);
            return Fallback.assign(sticky(), cluster, joining);
        }
        tell("of snapshot " + plan.snapshot + " is in force");
        return planned(plan, joining);
    }

    private static Map<String, List<TopicPartition>> planned(GroupPlan plan, JoiningGroup joining) {
        Map<String, List<TopicPartition>> target = new HashMap<>();
        for (JoiningMember member : joining.members) {
            List<TopicPartition> given = new ArrayList<>();
            plan.members.getOrDefault(member.key, Map.of()).forEach((topic, partitions) -> {
                for (int partition : partitions) {
                    given.add(new TopicPartition(topic, partition));
                }
            });
            target.put(member.memberId, given);
        }
        return target;
    }

    /** What was logged last of the plan. */
    final String told() {
        return told;
    }

    /** Log what has become of the plan, unless that was what was logged last. */
    private void tell(String what) {
        if (!what.equals(told)) {
            LOG.warn("group {}: the plan in {} {}", group, source, what);
            told = what;
        }
    }
}
