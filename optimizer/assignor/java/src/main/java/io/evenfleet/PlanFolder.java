package io.evenfleet;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plans in a folder, looked for by a thread of its own at each change, and once a second.
 *
 * <p>Each {@code *.json} is one, but {@code index.json}. A file that isn't sound leaves what was read
 * of it before in force; one that is taken away takes its plan with it. A file that can't be read is
 * tried again each time, and logged again only when the reason changes.
 */
final class PlanFolder {
    private static final long PAUSE_MILLIS = 1000;
    private static final long FIRST_LOOK_MILLIS = 5000;

    private static final Logger LOG = LoggerFactory.getLogger(BrokerPlanAssignor.class);

    /** Kafka makes an assignor for each reading of its settings: they share a thread a folder. */
    private static final Map<Path, PlanFolder> FOLDERS = new ConcurrentHashMap<>();

    private final Path folder;
    private final Reader reader;
    private final Consumer<String> warn;
    private final Map<String, Object> states = new HashMap<>();
    private final Map<String, String> faults = new HashMap<>();
    private final Map<String, BrokerPlan> plans = new HashMap<>();
    private final CountDownLatch looked = new CountDownLatch(1);
    private volatile Map<String, List<BrokerPlan>> byName = Map.of();
    private String told = "";
    private WatchService watcher;

    /** The bytes of a file. */
    interface Reader {
        byte[] read(Path file) throws IOException;
    }

    PlanFolder(Path folder, Reader reader, Consumer<String> warn) {
        this.folder = folder;
        this.reader = reader;
        this.warn = warn;
    }

    /** The folder's plans; returns when they were looked for, or that takes long. */
    static PlanFolder of(Path folder) {
        PlanFolder found =
            FOLDERS.computeIfAbsent(folder.toAbsolutePath(), path ->
                new PlanFolder(path, Files::readAllBytes, LOG::warn).start());
        try {
            if (!found.looked.await(FIRST_LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.warn("the plans in {} take long to read: the broker starts without", folder);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return found;
    }

    /** The plans that have a member of one of these names, by their files. */
    List<BrokerPlan> plansOf(Iterable<String> names) {
        Map<String, List<BrokerPlan>> index = byName;
        Map<String, BrokerPlan> found = new HashMap<>();
        for (String name : names) {
            index.getOrDefault(name, List.of()).forEach(plan -> found.put(plan.file, plan));
        }
        return new ArrayList<>(found.values());
    }

    private PlanFolder start() {
        Thread thread = new Thread(this::watch, "evenfleet-plans");
        thread.setDaemon(true);
        thread.start();
        return this;
    }

    private void watch() {
        while (true) {
            long start = System.nanoTime();
            try {
                look();
                told = "";
            } catch (IOException | RuntimeException | Error failed) {
                tell(failed.toString());
            }
            looked.countDown();
            long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            try {
                rest(took);
            } catch (InterruptedException ended) {
                return;
            }
        }
    }

    /**
     * Wait until something changes in the folder, or for a while: not every file system tells.
     *
     * <p>Of a huge folder on a slow disk it takes a twentieth of the time, at most half of it.
     */
    private void rest(long took) throws InterruptedException {
        long pause = Math.max(PAUSE_MILLIS, 20 * took);
        try {
            if (watcher == null) {
                watcher = folder.getFileSystem().newWatchService();
            }
            folder.register(watcher, ENTRY_CREATE, ENTRY_MODIFY, ENTRY_DELETE);
            WatchKey key = watcher.poll(pause, TimeUnit.MILLISECONDS);
            if (key != null) {
                Thread.sleep(took);
                key.pollEvents();
                key.reset();
            }
        } catch (IOException | RuntimeException cannotWatch) {
            Thread.sleep(pause);
        }
    }

    private void tell(String what) {
        if (!what.equals(told)) {
            warn.accept("the plans in " + folder + " can't be looked for, and stay as they are: " + what);
            told = what;
        }
    }

    void look() throws IOException {
        boolean changed = false;
        Set<String> there = new TreeSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.json")) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                if (!name.equals("index.json") && !name.startsWith(".")) {
                    there.add(name);
                    changed |= read(name, file);
                }
            }
        } catch (UncheckedIOException | java.nio.file.DirectoryIteratorException failed) {
            throw new IOException(failed.getCause());
        }
        states.keySet().retainAll(there);
        faults.keySet().retainAll(there);
        changed |= plans.keySet().retainAll(there);
        if (changed) {
            index();
        }
    }

    /** Whether there is a plan in a file that wasn't there before. */
    private boolean read(String name, Path file) {
        try {
            BasicFileAttributes facts = Files.readAttributes(file, BasicFileAttributes.class);
            Object state =
                List.of(facts.lastModifiedTime(), facts.size(), String.valueOf(facts.fileKey()));
            if (state.equals(states.get(name))) {
                return false;
            }
            if (facts.size() > PlanSource.LIMIT) {
                throw new IOException("it has more than " + PlanSource.LIMIT + " bytes");
            }
            byte[] text = reader.read(file);
            states.put(name, state); // the same bytes would be refused again
            plans.put(name, new BrokerPlan(name, GroupPlan.read(text)));
            faults.remove(name);
            LOG.info("the plan in {} has been read", file);
            return true;
        } catch (PlanFileException | IOException failed) {
            fault(name, file, PlanSource.reason(failed));
            return false;
        }
    }

    private void fault(String name, Path file, String reason) {
        if (!reason.equals(faults.put(name, reason))) {
            warn.accept("there is no plan in " + file + ", and what was read of it before stands: " + reason);
        }
    }

    private void index() {
        Map<String, List<BrokerPlan>> index = new HashMap<>();
        for (BrokerPlan plan : plans.values()) {
            for (String name : plan.names()) {
                index.computeIfAbsent(name, any -> new ArrayList<>()).add(plan);
            }
        }
        byName = index;
    }
}
