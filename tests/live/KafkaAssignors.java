// Runs Kafka's assignors on groups that come and go as JSON. Spark's own compiler (Janino) compiles
// it, which knows neither generic types nor lambdas.

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataImage;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.PartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.apache.kafka.coordinator.group.generated.ConsumerGroupTargetAssignmentMemberValue;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;
import org.apache.kafka.coordinator.group.modern.ModernGroup;
import org.apache.kafka.coordinator.group.modern.SubscriptionCount;
import org.apache.kafka.coordinator.group.modern.TopicIds;

public class KafkaAssignors {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Answers {strategy: {member: [[topic, partition]]} or a text of what was thrown} a group. */
    public static String answers(String groups) throws Exception {
        List answers = new ArrayList();
        Iterator each = ((List) JSON.readValue(groups, Object.class)).iterator();
        while (each.hasNext()) {
            Map group = (Map) each.next();
            Map answer = new LinkedHashMap();
            Iterator strategies = ((List) group.get("strategies")).iterator();
            while (strategies.hasNext()) {
                String strategy = (String) strategies.next();
                try {
                    answer.put(strategy, answer(strategy, group));
                } catch (Exception thrown) {
                    answer.put(strategy, thrown.toString());
                }
            }
            answers.add(answer);
        }
        return JSON.writeValueAsString(answers);
    }

    private static Map answer(String strategy, Map group) throws Exception {
        if (strategy.equals("uniform")) return ofCoordinator(new UniformAssignor(), group);
        if (strategy.equals("server-range"))
            return ofCoordinator(
                new org.apache.kafka.coordinator.group.assignor.RangeAssignor(), group);
        if (strategy.equals("range")) return ofLeader(new RangeAssignor(), group);
        if (strategy.equals("roundrobin")) return ofLeader(new RoundRobinAssignor(), group);
        if (strategy.equals("sticky")) return ofLeader(new BoundedSticky(group), group);
        return ofLeader(new BoundedCooperativeSticky(group), group);
    }

    private static Map ofLeader(ConsumerPartitionAssignor leader, Map group) throws Exception {
        Map subscriptions = new HashMap();
        Iterator members = ((List) group.get("members")).iterator();
        while (members.hasNext()) {
            Map member = (Map) members.next();
            subscriptions.put(member.get("id"), subscription(leader, member));
        }
        Map assigned = leader.assign(
            cluster(group), new ConsumerPartitionAssignor.GroupSubscription(subscriptions)
        ).groupAssignment();
        Map answer = new LinkedHashMap();
        Iterator entries = assigned.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry entry = (Map.Entry) entries.next();
            List pairs = new ArrayList();
            Iterator partitions =
                ((ConsumerPartitionAssignor.Assignment) entry.getValue()).partitions().iterator();
            while (partitions.hasNext()) {
                TopicPartition partition = (TopicPartition) partitions.next();
                pairs.add(pair(partition.topic(), Integer.valueOf(partition.partition())));
            }
            answer.put(entry.getKey(), pairs);
        }
        return answer;
    }

    /** A member's subscription with the user data that its own assignor would send. */
    private static ConsumerPartitionAssignor.Subscription subscription(
            ConsumerPartitionAssignor leader, Map member) throws Exception {
        int generation = ((Integer) member.get("generation")).intValue();
        List owned = new ArrayList();
        Iterator pairs = ((List) member.get("owned")).iterator();
        while (pairs.hasNext()) {
            List pair = (List) pairs.next();
            owned.add(new TopicPartition((String) pair.get(0), ((Integer) pair.get(1)).intValue()));
        }
        List topics = (List) member.get("topics");
        ByteBuffer userData = null;
        Optional instance = Optional.ofNullable((String) member.get("instance"));
        if (leader instanceof StickyAssignor && (generation >= 0 || !owned.isEmpty())) {
            StickyAssignor own = new StickyAssignor();
            own.onAssignment(
                new ConsumerPartitionAssignor.Assignment(owned),
                new ConsumerGroupMetadata("group", generation, (String) member.get("id"), instance));
            userData = own.subscriptionUserData(new HashSet(topics));
        }
        ConsumerPartitionAssignor.Subscription subscription =
            new ConsumerPartitionAssignor.Subscription(
                topics, userData, owned, generation, Optional.ofNullable((String) member.get("rack")));
        subscription.setGroupInstanceId(instance);
        return subscription;
    }

    private static Cluster cluster(Map group) {
        Map nodes = new HashMap();
        List infos = new ArrayList();
        Iterator topics = ((Map) group.get("topics")).entrySet().iterator();
        while (topics.hasNext()) {
            Map.Entry topic = (Map.Entry) topics.next();
            List racks = (List) ((Map) group.get("racks")).get(topic.getKey());
            int count = ((Integer) topic.getValue()).intValue();
            for (int p = 0; p < count; p++) {
                List near = racks == null ? new ArrayList() : (List) racks.get(p);
                Node[] replicas = new Node[near.size()];
                for (int r = 0; r < replicas.length; r++) {
                    Object rack = near.get(r);
                    if (!nodes.containsKey(rack))
                        nodes.put(rack, new Node(nodes.size(), "host", 9092, (String) rack));
                    replicas[r] = (Node) nodes.get(rack);
                }
                infos.add(new PartitionInfo(
                    (String) topic.getKey(), p, Node.noNode(), replicas, replicas));
            }
        }
        return new Cluster("cluster", nodes.values(), infos, new HashSet(), new HashSet());
    }

    private static Map ofCoordinator(PartitionAssignor coordinator, Map group) throws Exception {
        Topics topics = new Topics(group);
        Map specs = new HashMap();
        Map inverted = new HashMap();
        Map counts = new HashMap();
        Iterator members = ((List) group.get("members")).iterator();
        while (members.hasNext()) {
            Map member = (Map) members.next();
            Set names = new HashSet((List) member.get("topics"));
            Iterator each = names.iterator();
            while (each.hasNext()) {
                Object name = each.next();
                counts.put(name, SubscriptionCount.incNameCount(
                    (String) name, (SubscriptionCount) counts.get(name)));
            }
            specs.put(member.get("id"), new MemberSubscriptionAndAssignmentImpl(
                Optional.ofNullable((String) member.get("rack")),
                Optional.ofNullable((String) member.get("instance")),
                new TopicIds(names, topics),
                target(member, topics, inverted)));
        }
        SubscriptionType type =
            ModernGroup.subscriptionType(counts, ((List) group.get("members")).size());
        Map assigned = coordinator.assign(
            new GroupSpecImpl(Collections.unmodifiableMap(specs), type, inverted), topics
        ).members();
        Map answer = new LinkedHashMap();
        Iterator entries = assigned.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry entry = (Map.Entry) entries.next();
            List pairs = new ArrayList();
            Iterator sets =
                ((MemberAssignment) entry.getValue()).partitions().entrySet().iterator();
            while (sets.hasNext()) {
                Map.Entry set = (Map.Entry) sets.next();
                Iterator numbers = ((Set) set.getValue()).iterator();
                while (numbers.hasNext())
                    pairs.add(pair(topics.name((Uuid) set.getKey()), numbers.next()));
            }
            answer.put(entry.getKey(), pairs);
        }
        return answer;
    }

    /**
     * How many nanoseconds the coordinator's uniform assignor takes for a group, each time again for
     * a number of seconds or of times, whatever is over first; and what its answer comes to.
     *
     * The group states each subscription once, and its members "of" which one they are.
     */
    public static String uniform(String json) throws Exception {
        Map group = (Map) JSON.readValue(json, Object.class);
        Topics topics = new Topics(group);
        List subscriptions = new ArrayList();
        Iterator names = ((List) group.get("subscriptions")).iterator();
        while (names.hasNext())
            subscriptions.add(new TopicIds(new HashSet((List) names.next()), topics));
        Map specs = new HashMap();
        Map inverted = new HashMap();
        Iterator members = ((List) group.get("members")).iterator();
        while (members.hasNext()) {
            Map member = (Map) members.next();
            specs.put(member.get("id"), new MemberSubscriptionAndAssignmentImpl(
                Optional.empty(), Optional.empty(),
                (Set) subscriptions.get(((Integer) member.get("of")).intValue()),
                target((Map) member.get("target"), member, topics, inverted)));
        }
        GroupSpecImpl spec = new GroupSpecImpl(
            Collections.unmodifiableMap(specs),
            subscriptions.size() == 1
                ? SubscriptionType.HOMOGENEOUS : SubscriptionType.HETEROGENEOUS,
            inverted);
        UniformAssignor assignor = new UniformAssignor();
        long enough = (long) (((Number) group.get("seconds")).doubleValue() * 1e9);
        int times = ((Integer) group.get("times")).intValue();
        List nanos = new ArrayList();
        long spent = 0;
        Map assigned = null;
        while (nanos.size() < times && spent < enough) {
            long start = System.nanoTime();
            assigned = assignor.assign(spec, topics).members();
            long took = System.nanoTime() - start;
            nanos.add(Long.valueOf(took));
            spent += took;
        }
        Map answer = measured(assigned, inverted);
        answer.put("nanos", nanos);
        return JSON.writeValueAsString(answer);
    }

    private static Map measured(Map assigned, Map inverted) {
        int least = Integer.MAX_VALUE;
        int most = 0;
        int moves = 0;
        Iterator entries = assigned.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry entry = (Map.Entry) entries.next();
            int load = 0;
            Iterator sets =
                ((MemberAssignment) entry.getValue()).partitions().entrySet().iterator();
            while (sets.hasNext()) {
                Map.Entry set = (Map.Entry) sets.next();
                Map owners = (Map) inverted.get(set.getKey());
                Iterator numbers = ((Set) set.getValue()).iterator();
                while (numbers.hasNext()) {
                    Object number = numbers.next();
                    Object owner = owners == null ? null : owners.get(number);
                    if (owner != null && !owner.equals(entry.getKey())) moves++;
                    load++;
                }
            }
            least = Math.min(least, load);
            most = Math.max(most, load);
        }
        Map measures = new LinkedHashMap();
        measures.put("min_load", Integer.valueOf(least));
        measures.put("max_load", Integer.valueOf(most));
        measures.put("moves", Integer.valueOf(moves));
        return measures;
    }

    private static Assignment target(Map member, Topics topics, Map inverted) {
        Map byTopic = new LinkedHashMap();
        Iterator pairs = ((List) member.get("target")).iterator();
        while (pairs.hasNext()) {
            List pair = (List) pairs.next();
            if (!byTopic.containsKey(pair.get(0))) byTopic.put(pair.get(0), new ArrayList());
            ((List) byTopic.get(pair.get(0))).add(pair.get(1));
        }
        return target(byTopic, member, topics, inverted);
    }

    /** A member's current target as it is replayed from its record. */
    private static Assignment target(Map byTopic, Map member, Topics topics, Map inverted) {
        List sets = new ArrayList();
        Iterator entries = byTopic.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry entry = (Map.Entry) entries.next();
            Uuid id = topics.id((String) entry.getKey());
            sets.add(new ConsumerGroupTargetAssignmentMemberValue.TopicPartition()
                .setTopicId(id).setPartitions((List) entry.getValue()));
            if (!inverted.containsKey(id)) inverted.put(id, new HashMap());
            Iterator numbers = ((List) entry.getValue()).iterator();
            while (numbers.hasNext())
                ((Map) inverted.get(id)).put(numbers.next(), member.get("id"));
        }
        return Assignment.fromRecord(
            new ConsumerGroupTargetAssignmentMemberValue().setTopicPartitions(sets));
    }

    private static List pair(Object topic, Object partition) {
        return Arrays.asList(new Object[] {topic, partition});
    }

    /** Sticky assignors that give up where Kafka's search goes on for ever. */
    public static class BoundedSticky extends StickyAssignor {
        private final Map group;

        public BoundedSticky(Map group) { this.group = group; }

        public Map assignPartitions(Map partitions, Map subscriptions) {
            return super.assignPartitions(new Bounded(partitions, this.group), subscriptions);
        }
    }

    public static class BoundedCooperativeSticky extends CooperativeStickyAssignor {
        private final Map group;

        public BoundedCooperativeSticky(Map group) { this.group = group; }

        public Map assignPartitions(Map partitions, Map subscriptions) {
            return super.assignPartitions(new Bounded(partitions, this.group), subscriptions);
        }
    }

    /** A map that can be asked as often as the group's "patience" says. */
    public static class Bounded extends HashMap {
        private long left;

        public Bounded(Map map, Map group) {
            super(map);
            this.left = ((Number) group.get("patience")).longValue();
        }

        public Object get(Object key) {
            if (this.left-- == 0) throw new IllegalStateException("never ends");
            return super.get(key);
        }
    }

    public static class Topics implements TopicIds.TopicResolver, SubscribedTopicDescriber {
        private final Map counts;
        private final Map ids = new HashMap();
        private final Map names = new HashMap();

        public Topics(Map group) {
            this.counts = (Map) group.get("topics");
            Iterator entries = ((Map) group.get("topic_ids")).entrySet().iterator();
            while (entries.hasNext()) {
                Map.Entry entry = (Map.Entry) entries.next();
                Uuid id = Uuid.fromString((String) entry.getValue());
                this.ids.put(entry.getKey(), id);
                this.names.put(id, entry.getKey());
            }
        }

        public CoordinatorMetadataImage image() { return null; }
        public String name(Uuid id) { return (String) this.names.get(id); }
        public Uuid id(String name) { return (Uuid) this.ids.get(name); }
        public void clear() { }
        public int numPartitions(Uuid id) {
            return ((Integer) this.counts.get(this.names.get(id))).intValue();
        }
        public Set racksForPartition(Uuid id, int partition) { return new HashSet(); }
    }
}
