package io.evenfleet;

/** A text that isn't a plan, or isn't a whole one; the message says where. */
final class PlanFileException extends Exception {
    private static final long serialVersionUID = 1L;

    PlanFileException(String message) {
        super(message);
    }
}
