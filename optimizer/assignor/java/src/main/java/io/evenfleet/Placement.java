package io.evenfleet;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.GroupSpec;
import org.apache.kafka.coordinator.group.api.assignor.MemberAssignment;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;

/**
 * An assignment of which some is kept as it is, and the rest placed as evenly as subscriptions allow.
 *
 * <p>The rest stays with who has it, as far as that is even. Then partitions go from who has more to
 * who has at least two less, over others where it has to be, until none can: least sum of squares
 * then, as no path is left along which it would fall (Harvey, Ladner, Lovász, Tamir: Semi-matchings).
 */
final class Placement {
    /** Steps of the search; the coordinator's other groups wait meanwhile. */
    private static final int MOST_STEPS = 20_000_000;

    /** Over all topics, each by itself: paths find what is left then. */
    private static final int MOST_SWEEPS = 16;

    private final GroupSpec group;
    private final List<String> members = new ArrayList<>();
    private final Map<String, Integer> numbers = new HashMap<>();
    private final int[] loads;
    private final Map<Uuid, Topic> topics = new HashMap<>();
    private int placed;

    /** A topic: who has each partition, which of them are free to move, and who reads it. */
    private static final class Topic {
        final Uuid id;
        final int[] owners;
        final boolean[] kept;
        final List<Integer> readers = new ArrayList<>();
        /** By member: what it has, and may lose. */
        final Map<Integer, Deque<Integer>> free = new HashMap<>();

        Topic(Uuid id, int partitions) {
            this.id = id;
            owners = new int[partitions];
            kept = new boolean[partitions];
            Arrays.fill(owners, -1);
        }

        void move(int from, int to) {
            int partition = free.get(from).pop();
            if (free.get(from).isEmpty()) {
                free.remove(from);
            }
            give(partition, to);
        }

        void give(int partition, int to) {
            owners[partition] = to;
            free.computeIfAbsent(to, any -> new ArrayDeque<>()).push(partition);
        }
    }

    Placement(GroupSpec group, SubscribedTopicDescriber described) {
        this.group = group;
        for (String memberId : group.memberIds()) {
            int number = members.size();
            members.add(memberId);
            numbers.put(memberId, number);
            for (Uuid id : group.memberSubscription(memberId).subscribedTopicIds()) {
                Topic topic = topics.computeIfAbsent(
                    id, any -> new Topic(id, Math.max(0, described.numPartitions(id))));
                topic.readers.add(number);
            }
        }
        loads = new int[members.size()];
    }

    /** Keep partitions with a member, of those that are there, if it reads their topic. */
    void keep(String memberId, Uuid id, int[] partitions) {
        Topic topic = topics.get(id);
        if (topic == null
                || !group.memberSubscription(memberId).subscribedTopicIds().contains(id)) {
            return;
        }
        int member = numbers.get(memberId);
        for (int partition : partitions) {
            if (partition < topic.owners.length && !topic.kept[partition]) {
                topic.owners[partition] = member;
                topic.kept[partition] = true;
                loads[member]++;
            }
        }
    }

    /** Number of partitions that weren't kept. */
    int placed() {
        return placed;
    }

    GroupAssignment assignment() {
        leaveWithOwners();
        List<Topic> fewestReadersFirst = new ArrayList<>(topics.values());
        fewestReadersFirst.sort(
            Comparator.<Topic>comparingInt(topic -> topic.readers.size())
                .thenComparing(topic -> topic.id));
        fewestReadersFirst.forEach(this::placeUnowned);
        boolean moved = placed > 0;
        for (int sweep = 0; moved && sweep < MOST_SWEEPS; sweep++) {
            moved = false;
            for (Topic topic : fewestReadersFirst) {
                moved |= level(topic);
            }
        }
        if (placed > 0) {
            followPaths();
        }
        return answer();
    }

    private void leaveWithOwners() {
        for (int member = 0; member < members.size(); member++) {
            Set<Uuid> read = group.memberSubscription(members.get(member)).subscribedTopicIds();
            for (Map.Entry<Uuid, Set<Integer>> part :
                    group.memberAssignment(members.get(member)).partitions().entrySet()) {
                if (read.contains(part.getKey())) {
                    leave(topics.get(part.getKey()), part.getValue(), member);
                }
            }
        }
    }

    private void leave(Topic topic, Set<Integer> partitions, int member) {
        for (int partition : partitions) {
            if (partition < topic.owners.length && topic.owners[partition] < 0) {
                topic.give(partition, member);
                loads[member]++;
                placed++;
            }
        }
    }

    private void placeUnowned(Topic topic) {
        if (Arrays.stream(topic.owners).noneMatch(owner -> owner < 0)) {
            return;
        }
        PriorityQueue<Integer> readers = new PriorityQueue<>(leastLoadedFirst());
        readers.addAll(topic.readers);
        for (int partition = 0; partition < topic.owners.length; partition++) {
            if (topic.owners[partition] < 0) {
                int reader = readers.remove();
                topic.give(partition, reader);
                loads[reader]++;
                readers.add(reader);
                placed++;
            }
        }
    }

    private Comparator<Integer> leastLoadedFirst() {
        return Comparator.<Integer>comparingInt(member -> loads[member])
            .thenComparing(Comparator.naturalOrder());
    }

    /** Let a topic's most loaded readers give to its least loaded; whether they did. */
    private boolean level(Topic topic) {
        int most = topic.free.keySet().stream().mapToInt(giver -> loads[giver]).max().orElse(0);
        int least = topic.readers.stream().mapToInt(reader -> loads[reader]).min().orElse(0);
        if (most - least < 2) {
            return false;
        }
        TreeSet<Integer> readers = new TreeSet<>(leastLoadedFirst());
        readers.addAll(topic.readers);
        TreeSet<Integer> givers = new TreeSet<>(leastLoadedFirst());
        givers.addAll(topic.free.keySet());
        boolean moved = false;
        while (!givers.isEmpty() && loads[givers.last()] - loads[readers.first()] >= 2) {
            int from = givers.last();
            int to = readers.first();
            for (TreeSet<Integer> some : List.of(readers, givers)) {
                some.remove(from);
                some.remove(to);
            }
            topic.move(from, to);
            loads[from]--;
            loads[to]++;
            readers.add(from);
            readers.add(to);
            givers.add(to);
            if (topic.free.containsKey(from)) {
                givers.add(from);
            }
            moved = true;
        }
        return moved;
    }

    /** Where no topic can be levelled by itself, several together may. */
    private void followPaths() {
        List<List<Topic>> freeOf = new ArrayList<>();
        members.forEach(any -> freeOf.add(new ArrayList<>()));
        int steps = 0;
        boolean moved = topics.size() > 1;
        while (moved) {
            moved = false;
            steps += members.size();
            freeOf.forEach(List::clear);
            topics.values().forEach(
                topic -> topic.free.keySet().forEach(member -> freeOf.get(member).add(topic)));
            List<Integer> heaviestFirst = new ArrayList<>(numbers.values());
            heaviestFirst.sort(Collections.reverseOrder(leastLoadedFirst()));
            for (int member : heaviestFirst) {
                Search search = new Search(member, freeOf);
                steps += search.steps + 1;
                if (steps > MOST_STEPS) {
                    return;
                }
                if (search.end >= 0) {
                    search.follow();
                    moved = true;
                    break; // what is free has changed
                }
            }
        }
    }

    /** The shortest way from a member to one that has at least two less. */
    private final class Search {
        final Map<Integer, Integer> before = new HashMap<>();
        final Map<Integer, Topic> by = new HashMap<>();
        int end = -1;
        int steps;

        Search(int start, List<List<Topic>> freeOf) {
            Set<Topic> seen = new HashSet<>();
            Deque<Integer> queue = new ArrayDeque<>(List.of(start));
            before.put(start, start);
            while (!queue.isEmpty() && end < 0) {
                int member = queue.remove();
                for (Topic topic : freeOf.get(member)) {
                    if (seen.add(topic)) {
                        reach(member, topic, queue, loads[start] - 2);
                    }
                }
            }
        }

        private void reach(int member, Topic topic, Deque<Integer> queue, int enough) {
            for (int reader : topic.readers) {
                steps++;
                if (before.putIfAbsent(reader, member) == null) {
                    by.put(reader, topic);
                    queue.add(reader);
                    if (end < 0 && loads[reader] <= enough) {
                        end = reader;
                    }
                }
            }
        }

        void follow() {
            int to = end;
            loads[to]++;
            while (by.containsKey(to)) {
                int from = before.get(to);
                by.get(to).move(from, to);
                to = from;
            }
            loads[to]--;
        }
    }

    private GroupAssignment answer() {
        List<Map<Uuid, Set<Integer>>> parts = new ArrayList<>();
        members.forEach(any -> parts.add(new HashMap<>()));
        for (Topic topic : topics.values()) {
            for (int partition = 0; partition < topic.owners.length; partition++) {
                parts.get(topic.owners[partition])
                    .computeIfAbsent(topic.id, any -> new HashSet<>())
                    .add(partition);
            }
        }
        Map<String, MemberAssignment> answer = new HashMap<>();
        for (int member = 0; member < parts.size(); member++) {
            Map<Uuid, Set<Integer>> part = parts.get(member);
            answer.put(members.get(member), () -> part);
        }
        return new GroupAssignment(answer);
    }
}
