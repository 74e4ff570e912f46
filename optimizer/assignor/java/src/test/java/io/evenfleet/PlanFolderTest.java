package io.evenfleet;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Plans that come, go, and can't be read for a while. */
public final class PlanFolderTest {
    private static final byte[] PLAN = ("{\"format\": \"evenfleet-plan\", \"version\": 2, \"cluster\": \"c\", \"group\": \"g\","
        + " \"snapshot\": \"20261121T060000Z\", \"protocol\": \"consumer\", \"members\": {\"a\": {\"t\": [0]}},"
        + " \"topic_ids\": {\"t\": \"ERERESIiMzNERFVVVVVVVQ\"}}").getBytes(StandardCharsets.UTF_8);

    private final List<String> warnings = new ArrayList<>();

    /** Neither size nor time of a file change with its mode. */
    public void testAFileThatCouldNotBeReadIsTriedAgain() throws Exception {
        Path folder = Files.createTempDirectory("plans");
        Files.write(folder.resolve("g.json"), PLAN);
        boolean[] denied = {true};
        PlanFolder plans = new PlanFolder(folder, file -> {
            if (denied[0]) {
                throw new AccessDeniedException(file.toString());
            }
            return Files.readAllBytes(file);
        }, warnings::add);
        plans.look();
        plans.look();
        check(plans.plansOf(List.of("a")).size(), 0);
        check(warnings.size(), 1);
        check(warnings.get(0).endsWith("stands: Permission denied"), true);
        denied[0] = false;
        plans.look();
        check(plans.plansOf(List.of("a")).size(), 1);
    }

    public void testADanglingLinkIsLoggedOnceAndReadWhenItLeadsSomewhere() throws Exception {
        Path folder = Files.createTempDirectory("plans");
        Path target = folder.resolve("later");
        Files.createSymbolicLink(folder.resolve("g.json"), target);
        PlanFolder plans = new PlanFolder(folder, Files::readAllBytes, warnings::add);
        plans.look();
        plans.look();
        check(warnings.size(), 1);
        check(warnings.get(0).endsWith("stands: No such file"), true);
        Files.write(target, PLAN);
        plans.look();
        check(plans.plansOf(List.of("a")).size(), 1);
        Files.delete(target);
        plans.look();
        check(warnings.size(), 2);
        check(plans.plansOf(List.of("a")).size(), 1);
    }

    /** The same bytes aren't read a second time. */
    public void testAnUnsoundFileIsReadOnce() throws Exception {
        Path folder = Files.createTempDirectory("plans");
        Files.writeString(folder.resolve("g.json"), "{");
        int[] reads = {0};
        PlanFolder plans = new PlanFolder(folder, file -> {
            reads[0]++;
            return Files.readAllBytes(file);
        }, warnings::add);
        plans.look();
        plans.look();
        check(reads[0], 1);
        check(warnings.size(), 1);
    }

    public void testWhyAFileCanNotBeRead() {
        check(PlanSource.reason(new AccessDeniedException("/plan")), "Permission denied");
        check(PlanSource.reason(new IOException("Is a directory")), "Is a directory");
    }

    private static void check(Object found, Object wanted) {
        if (!found.equals(wanted)) {
            throw new AssertionError(found + " instead of " + wanted);
        }
    }
}
