package io.evenfleet;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.PartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Assigns what plans say to groups of the new protocol (KIP-848), inside brokers.
 *
 * <p>{@code group.consumer.assignors=uniform,range,io.evenfleet.BrokerPlanAssignor} and
 * {@code evenfleet.plans=FOLDER} on every broker; {@code group.remote.assignor=evenfleet-plan} in
 * consumers. A broker tells an assignor neither the group's name nor client ids: the plan is found
 * by group.instance.ids, or by member ids in the plan, and by the ids of topics. Where it doesn't
 * fit, what still fits of it is kept and only the rest is placed. Without a plan the group gets the
 * assignment of Kafka's UniformAssignor.
 */
public final class BrokerPlanAssignor implements ConsumerGroupPartitionAssignor, Configurable {
    static final String PLANS = "evenfleet.plans";

    private static final String UNIFORM =
        "org.apache.kafka.coordinator.group.assignor.UniformAssignor";

    private static final Logger LOG = LoggerFactory.getLogger(BrokerPlanAssignor.class);

    private final PartitionAssignor uniform = uniform();
    private PlanFolder plans;

    /** As Kafka makes it of its class name. */
    public BrokerPlanAssignor() {
    }

    @Override
    public String name() {
        return "evenfleet-plan";
    }

    @Override
    public void configure(Map<String, ?> settings) {
        Object folder = settings.get(PLANS);
        if (folder == null || folder.toString().isBlank()) {
            throw new ConfigException(PLANS + " has to name the folder of plans");
        }
        plans = PlanFolder.of(Path.of(folder.toString()));
    }

    @Override
    public GroupAssignment assign(GroupSpec group, SubscribedTopicDescriber topics) {
        try {
            BrokerPlan plan = planOf(group);
            if (plan != null) {
                return planned(plan, group, topics);
            }
        } catch (Throwable defect) {
            LOG.error("a group is assigned without its plan, by a defect of Evenfleet's", defect);
        }
        return withoutPlan(group, topics);
    }

    private GroupAssignment withoutPlan(GroupSpec group, SubscribedTopicDescriber topics) {
        try {
            if (uniform != null) {
                return uniform.assign(group, topics);
            }
        } catch (RuntimeException failed) {
            LOG.warn("Kafka's uniform assignor failed: what members have is kept", failed);
        }
        return new Placement(group, topics).assignment();
    }

    private static GroupAssignment planned(
            BrokerPlan plan, GroupSpec group, SubscribedTopicDescriber topics) {
        Placement placement = new Placement(group, topics);
        Set<String> missing = new HashSet<>(plan.members.keySet());
        List<String> strangers = new ArrayList<>();
        for (String memberId : group.memberIds()) {
            String key = plan.keyOf(memberId, instanceOf(group, memberId));
            if (key == null) {
                strangers.add(memberId);
                continue;
            }
            missing.remove(key);
            plan.members.get(key)
                .forEach((topic, partitions) -> placement.keep(memberId, topic, partitions));
        }
        strangers.removeIf(id -> group.memberSubscription(id).subscribedTopicIds().isEmpty());
        GroupAssignment assignment = placement.assignment();
        tell(plan, missing, strangers.size(), placement.placed());
        return assignment;
    }

    private static void tell(BrokerPlan plan, Set<String> missing, int strangers, int placed) {
        String what = missing.isEmpty() && strangers == 0 && placed == 0
            ? "is in force"
            : "is kept as far as it fits: " + missing.size() + " of its members aren't there, "
                + strangers + " others are, and " + placed
                + " partitions are placed without it";
        if (plan.isNews(what)) {
            LOG.info("the plan of group {} in {} {}", plan.plan.group, plan.file, what);
        }
    }

    /** The one plan that can be this group's, or null. */
    private BrokerPlan planOf(GroupSpec group) {
        List<String> readers = new ArrayList<>();
        Set<Uuid> read = new HashSet<>();
        List<String> names = new ArrayList<>();
        for (String memberId : group.memberIds()) {
            Set<Uuid> topics = group.memberSubscription(memberId).subscribedTopicIds();
            if (!topics.isEmpty()) {
                readers.add(memberId);
                read.addAll(topics);
                names.add(memberId);
                String instance = instanceOf(group, memberId);
                if (instance != null) {
                    names.add(instance);
                }
            }
        }
        List<BrokerPlan> found = plans.plansOf(names);
        found.removeIf(plan -> !isOf(plan, group, readers, read));
        if (found.size() > 1) {
            refuse(found);
            return null;
        }
        if (found.isEmpty()) {
            return null;
        }
        BrokerPlan plan = found.get(0);
        if (plan.isContested(idByKey(plan, group, readers))) {
            if (plan.isNews("isn't used")) {
                LOG.warn("the plan of group {} in {} isn't used: two groups have its members' "
                    + "group.instance.ids, and nobody can tell which it is for",
                    plan.plan.group, plan.file);
            }
            return null;
        }
        return plan;
    }

    /** Whether most members are the plan's, and most topics. */
    private static boolean isOf(
            BrokerPlan plan, GroupSpec group, List<String> readers, Set<Uuid> read) {
        int shared = 0;
        for (Uuid topic : read) {
            shared += plan.topics.containsKey(topic) ? 1 : 0;
        }
        int either = read.size() + plan.topics.size() - shared;
        return 2 * shared > either
            && 2 * idByKey(plan, group, readers).size() > readers.size();
    }

    private static Map<String, String> idByKey(
            BrokerPlan plan, GroupSpec group, List<String> readers) {
        Map<String, String> ids = new HashMap<>();
        for (String memberId : readers) {
            String key = plan.keyOf(memberId, instanceOf(group, memberId));
            if (key != null) {
                ids.put(key, memberId);
            }
        }
        return ids;
    }

    private static void refuse(List<BrokerPlan> plans) {
        String files =
            plans.stream().map(plan -> plan.file).sorted().collect(Collectors.joining(", "));
        for (BrokerPlan plan : plans) {
            if (plan.isNews("isn't used: " + files)) {
                LOG.warn("the plan of group {} in {} isn't used: a group could be that of any of {},"
                    + " which have its members and topics", plan.plan.group, plan.file, files);
            }
        }
    }

    private static String instanceOf(GroupSpec group, String memberId) {
        return group.memberSubscription(memberId).instanceId().orElse(null);
    }

    /** Kafka's own assignor, which brokers have beside the interface, or null. */
    private static PartitionAssignor uniform() {
        try {
            return (PartitionAssignor)
                Class.forName(UNIFORM).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException | LinkageError | ClassCastException lacking) {
            return null;
        }
    }
}
