package io.evenfleet;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/** The cases that Python's assignor is tested by as well: both have to answer alike. */
public final class PlanCasesTest {
    private static final String CASES = "../../../tests/data/plan_cases.jsonl.gz";

    private final StringBuilder faults = new StringBuilder();

    public void testEveryCaseIsAnsweredAsPythonAnswersIt() throws Exception {
        int count = 0;
        faults.setLength(0);
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                new GZIPInputStream(new FileInputStream(CASES)), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Map<?, ?> stated = PlanCases.read(line);
                Map<?, ?> answer = PlanCases.read(PlanCases.text(PlanCases.answer(stated)));
                for (String what : new String[] {"assignment", "first_round"}) {
                    Object wanted = stated.get(what); // null: it isn't asked
                    check(wanted == null || wanted.equals(answer.get(what)), what, stated, answer);
                }
                check(sameReason((String) stated.get("why"), (String) answer.get("why")),
                    "why", stated, answer);
                count++;
            }
        }
        check(count >= 200, "number of cases", Map.of(), Map.of());
        if (faults.length() > 0) {
            throw new AssertionError(faults.toString());
        }
    }

    /** Where a text isn't JSON, each reader says in its own words what it stumbles over. */
    private static boolean sameReason(String wanted, String found) {
        String unsound = "it isn't sound JSON";
        if (wanted == null || found == null) {
            return wanted == null && found == null;
        }
        return wanted.equals(found) || (wanted.startsWith(unsound) && found.startsWith(unsound));
    }

    private void check(boolean holds, String what, Map<?, ?> stated, Map<?, ?> answer) {
        if (!holds) {
            faults.append(what).append(" of ").append(stated.get("name")).append(": ")
                .append(answer.get(what)).append(" instead of ").append(stated.get(what))
                .append('\n');
        }
    }
}
