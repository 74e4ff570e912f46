package io.evenfleet;

import java.util.Comparator;

/** Names in the order that Python sorts them in. */
final class Names {
    /** {@link String#compareTo} goes by UTF-16, in which the last characters come before some. */
    static final Comparator<String> BY_CODE_POINT = (left, right) -> {
        int at = 0;
        while (at < left.length() && at < right.length()) {
            int one = left.codePointAt(at);
            int other = right.codePointAt(at);
            if (one != other) {
                return Integer.compare(one, other);
            }
            at += Character.charCount(one);
        }
        return Integer.compare(left.length(), right.length());
    };

    private Names() {
    }
}
