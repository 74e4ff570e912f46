// Runs Kafka Connect's assignors on workers that come and go as JSON. Spark's own compiler (Janino)
// compiles it, which knows neither generic types nor lambdas.

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.connect.runtime.distributed.ConnectProtocol;
import org.apache.kafka.connect.runtime.distributed.EagerAssignor;
import org.apache.kafka.connect.runtime.distributed.ExtendedAssignment;
import org.apache.kafka.connect.runtime.distributed.ExtendedWorkerState;
import org.apache.kafka.connect.runtime.distributed.IncrementalCooperativeAssignor;
import org.apache.kafka.connect.runtime.distributed.WorkerCoordinator;
import org.apache.kafka.connect.storage.ClusterConfigState;
import org.apache.kafka.connect.util.ConnectorTaskId;

public class ConnectAssignors {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Answers {"eager": tasks by worker, "rounds": [tasks by worker after each rebalance]}. */
    public static String answers(String groups) throws Exception {
        List answers = new ArrayList();
        Iterator each = ((List) JSON.readValue(groups, Object.class)).iterator();
        while (each.hasNext()) {
            Map group = (Map) each.next();
            Map answer = new LinkedHashMap();
            answer.put("eager", eager(group));
            answer.put("rounds", cooperative(group));
            answers.add(answer);
        }
        return JSON.writeValueAsString(answers);
    }

    private static Map eager(Map group) throws Exception {
        Field unsafe = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
        unsafe.setAccessible(true);
        Method allocate = unsafe.getType().getMethod("allocateInstance", new Class[] {Class.class});
        // one that knows its configuration and nothing else: the assignor asks for no more
        WorkerCoordinator coordinator = (WorkerCoordinator)
            allocate.invoke(unsafe.get(null), new Object[] {WorkerCoordinator.class});
        coordinator.configSnapshot(configuration(group));
        Map states = new HashMap();
        Iterator workers = ((List) group.get("workers")).iterator();
        while (workers.hasNext())
            states.put(((Map) workers.next()).get("id"),
                new ExtendedWorkerState("url", 0L, ExtendedAssignment.empty()));
        Object leader = states.keySet().iterator().next();
        Method assign = method(EagerAssignor.class, "performTaskAssignment",
            new Class[] {String.class, long.class, Map.class, WorkerCoordinator.class});
        Map assigned = (Map) assign.invoke(new EagerAssignor(new LogContext()),
            new Object[] {leader, Long.valueOf(0), states, coordinator});
        Map answer = new LinkedHashMap();
        Iterator entries = assigned.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry entry = (Map.Entry) entries.next();
            answer.put(entry.getKey(), pairs(
                ConnectProtocol.deserializeAssignment((ByteBuffer) entry.getValue()).tasks()));
        }
        return answer;
    }

    /** Rebalances, until nothing is revoked any more, whose delay is over when the first begins. */
    private static List cooperative(Map group) throws Exception {
        Class type = IncrementalCooperativeAssignor.class;
        IncrementalCooperativeAssignor assignor =
            new IncrementalCooperativeAssignor(new LogContext(), Time.SYSTEM, 300000);
        Map connectors = new HashMap();
        Map tasks = new HashMap();
        Set previous = new LinkedHashSet(ids((List) group.get("lost")));
        Set members = new HashSet();
        Iterator workers = ((List) group.get("workers")).iterator();
        while (workers.hasNext()) {
            Map worker = (Map) workers.next();
            connectors.put(worker.get("id"), worker.get("connectors"));
            tasks.put(worker.get("id"), ids((List) worker.get("tasks")));
            previous.addAll((Collection) tasks.get(worker.get("id")));
            members.add(worker.get("id"));
        }
        field(type, "previousAssignment").set(assignor, running(new ArrayList(), previous));
        field(type, "previousGenerationId").set(assignor, Integer.valueOf(0));
        if (!((List) group.get("lost")).isEmpty()) {
            members.add("gone");
            field(type, "scheduledRebalance").set(assignor, Long.valueOf(1));
            Set candidates = (Set) field(type, "candidateWorkersForReassignment").get(assignor);
            candidates.addAll((Collection) method(type, "candidateWorkersForReassignment",
                new Class[] {List.class}).invoke(assignor, new Object[] {idle(group, tasks)}));
        }
        field(type, "previousMembers").set(assignor, members);
        Method assign = method(type, "performTaskAssignment",
            new Class[] {ClusterConfigState.class, int.class, int.class, Map.class});
        List rounds = new ArrayList();
        boolean again = true;
        for (int generation = 0; again && generation < 9; generation++) {
            Map given = new HashMap();
            Iterator ids = tasks.keySet().iterator();
            while (ids.hasNext()) {
                Object id = ids.next();
                given.put(id, running((Collection) connectors.get(id), (Collection) tasks.get(id)));
            }
            Object answer = assign.invoke(assignor, new Object[] {
                configuration(group), Integer.valueOf(generation), Integer.valueOf(generation + 1),
                given});
            connectors = part(answer, "allAssignedConnectors");
            tasks = part(answer, "allAssignedTasks");
            Map round = new LinkedHashMap();
            Iterator entries = tasks.entrySet().iterator();
            while (entries.hasNext()) {
                Map.Entry entry = (Map.Entry) entries.next();
                round.put(entry.getKey(), pairs((Collection) entry.getValue()));
            }
            rounds.add(round);
            again = any(part(answer, "newlyRevokedTasks")) || any(part(answer, "newlyRevokedConnectors"));
        }
        return rounds;
    }

    /** The idle workers' loads, in the order of the map: those that the round would begin with. */
    private static List idle(Map group, Map tasks) {
        Set idle = new HashSet((List) group.get("idle"));
        List loads = new ArrayList();
        Iterator ids = tasks.keySet().iterator();
        while (ids.hasNext()) {
            String id = (String) ids.next();
            if (idle.contains(id)) loads.add(new WorkerCoordinator.WorkerLoad.Builder(id).build());
        }
        return loads;
    }

    private static WorkerCoordinator.ConnectorsAndTasks running(Collection connectors, Collection tasks) {
        return new WorkerCoordinator.ConnectorsAndTasks.Builder()
            .with(new ArrayList(connectors), new ArrayList(tasks)).build();
    }

    private static ClusterConfigState configuration(Map group) {
        Map counts = (Map) group.get("connectors");
        Map configs = new HashMap();
        Iterator names = counts.keySet().iterator();
        while (names.hasNext()) configs.put(names.next(), new HashMap());
        return new ClusterConfigState(0L, null, counts, configs, new HashMap(), new HashMap(),
            new HashMap(), new HashMap(), new HashMap(), new HashSet(), new HashSet());
    }

    private static boolean any(Map byWorker) {
        Iterator some = byWorker.values().iterator();
        while (some.hasNext()) if (!((Collection) some.next()).isEmpty()) return true;
        return false;
    }

    private static Map part(Object answer, String name) throws Exception {
        return (Map) method(answer.getClass(), name, new Class[0]).invoke(answer, new Object[0]);
    }

    private static Method method(Class type, String name, Class[] arguments) throws Exception {
        Method method = type.getDeclaredMethod(name, arguments);
        method.setAccessible(true);
        return method;
    }

    private static Field field(Class type, String name) throws Exception {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    private static List ids(List pairs) {
        List ids = new ArrayList();
        Iterator each = pairs.iterator();
        while (each.hasNext()) {
            List pair = (List) each.next();
            ids.add(new ConnectorTaskId((String) pair.get(0), ((Integer) pair.get(1)).intValue()));
        }
        return ids;
    }

    private static List pairs(Collection tasks) {
        List pairs = new ArrayList();
        Iterator each = tasks.iterator();
        while (each.hasNext()) {
            ConnectorTaskId id = (ConnectorTaskId) each.next();
            // a connector's own instance goes by the number -1
            if (id.task() >= 0)
                pairs.add(Arrays.asList(new Object[] {id.connector(), Integer.valueOf(id.task())}));
        }
        return pairs;
    }
}
