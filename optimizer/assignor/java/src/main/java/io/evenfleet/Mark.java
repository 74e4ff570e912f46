package io.evenfleet;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What members with Python's PlanAssignor tell beside Kafka's own fields.
 *
 * <p>kafka-python doesn't tell its assignor when it falls out of its group and drops its
 * partitions, so that what the assignor then sends as owned isn't. Its user data lets the leader
 * see which claims still stand. Java's consumer states itself what it owns: it needs no mark.
 */
final class Mark {
    private static final Mark NONE = new Mark("", 0, "");

    final String assignor;
    /** Rebalances that it has joined since its last assignment, the present one included. */
    final long joins;
    /** The member id that it had when it got its last assignment, or "". */
    final String assignedAs;

    private Mark(String assignor, long joins, String assignedAs) {
        this.assignor = assignor;
        this.joins = joins;
        this.assignedAs = assignedAs;
    }

    boolean isThere() {
        return this != NONE;
    }

    /** The mark in the user data of a subscription. */
    static Mark of(ByteBuffer userData) {
        List<?> values = values(userData);
        if (values.size() == 3
                && values.get(0) instanceof String
                && values.get(1) instanceof Long
                && values.get(2) instanceof String) {
            return new Mark(
                (String) values.get(0), (Long) values.get(1), (String) values.get(2));
        }
        return NONE;
    }

    /** What the leader returns with an assignment: whom it gave it to. */
    ByteBuffer echo(String memberId) {
        String echo = "[" + json(assignor) + ", " + json(memberId) + "]";
        return ByteBuffer.wrap(echo.getBytes(StandardCharsets.US_ASCII));
    }

    private static List<?> values(ByteBuffer userData) {
        if (userData == null) {
            return List.of();
        }
        byte[] bytes = new byte[userData.remaining()];
        userData.duplicate().get(bytes);
        try {
            Object read = Json.read(bytes);
            return read instanceof List ? (List<?>) read : List.of();
        } catch (PlanFileException noMark) {
            return List.of();
        }
    }

    static String json(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars().forEach(unit -> {
            if (unit < ' ' || unit > '~' || unit == '"' || unit == '\\') {
                quoted.append(String.format("\\u%04x", unit));
            } else {
                quoted.append((char) unit);
            }
        });
        return quoted.append('"').toString();
    }
}
