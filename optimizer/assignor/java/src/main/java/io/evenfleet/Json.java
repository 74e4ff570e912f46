package io.evenfleet;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A reader of JSON (RFC 8259), as strict as Python's, so that both read or refuse the same files.
 *
 * <p>Objects are {@link Map}s in their order, arrays {@link List}s, whole numbers {@link Long}s (the
 * largest or smallest stands for those beyond), others {@link Double}s, null is null. A key that is
 * in an object twice is refused.
 */
final class Json {
    static final String TOO_DEEP = "it is nested too deeply to be a plan";

    /** Levels; readers differ in what they can take. */
    private static final int DEEPEST = 100;

    /** Python refuses numbers of more digits. */
    private static final int MOST_DIGITS = 4300;

    private final char[] text;
    private final int length;
    private int at;
    private int depth;

    private Json(char[] text, int length) {
        this.text = text;
        this.length = length;
    }

    /** What a text in UTF-8 says; PlanFileException tells what is wrong with it. */
    static Object read(byte[] bytes) throws PlanFileException {
        CharBuffer decoded;
        try {
            decoded = StandardCharsets.UTF_8.newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT)
                .decode(ByteBuffer.wrap(bytes));
        } catch (CharacterCodingException notUtf8) {
            throw new PlanFileException("it isn't sound JSON: it isn't in UTF-8");
        }
        Json json = new Json(decoded.array(), decoded.limit());
        if (json.length > 0 && json.text[0] == '\ufeff') {
            json.at = 1; // a byte order mark
        }
        Object value = json.value();
        json.skipSpace();
        if (json.at < json.length) {
            throw json.unsound("nothing more is expected");
        }
        return value;
    }

    private Object value() throws PlanFileException {
        skipSpace();
        switch (peek()) {
            case '{':
                return object();
            case '[':
                return array();
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> object() throws PlanFileException {
        enter();
        Map<String, Object> found = new LinkedHashMap<>();
        Map<String, Integer> repeated = new LinkedHashMap<>();
        skipSpace();
        if (peek() == '}') {
            at++;
        } else {
            do {
                skipSpace();
                if (peek() != '"') {
                    throw unsound("a key is expected");
                }
                String key = string();
                skipSpace();
                expect(':');
                if (found.containsKey(key)) {
                    repeated.merge(key, 1, Integer::sum);
                }
                found.put(key, value());
                skipSpace();
            } while (goesOn('}'));
        }
        depth--;
        refuse(repeated, found);
        return found;
    }

    /** Of the keys that are there more than once, the first is told. */
    private static void refuse(Map<String, Integer> repeated, Map<String, Object> found)
            throws PlanFileException {
        if (repeated.isEmpty()) {
            return;
        }
        for (String key : found.keySet()) {
            if (repeated.containsKey(key)) {
                throw new PlanFileException(
                    "the key " + Quoted.of(key) + " is in one object "
                        + (repeated.get(key) + 1) + " times");
            }
        }
    }

    private List<Object> array() throws PlanFileException {
        enter();
        List<Object> found = new ArrayList<>();
        skipSpace();
        if (peek() == ']') {
            at++;
        } else {
            do {
                found.add(value());
                skipSpace();
            } while (goesOn(']'));
        }
        depth--;
        return found;
    }

    private void enter() throws PlanFileException {
        at++;
        if (++depth > DEEPEST) {
            throw new PlanFileException(TOO_DEEP);
        }
    }

    /** Whether a comma follows, and not the end. */
    private boolean goesOn(char end) throws PlanFileException {
        if (peek() == ',') {
            at++;
            return true;
        }
        expect(end);
        return false;
    }

    private String string() throws PlanFileException {
        int start = ++at;
        while (at < length && text[at] != '"' && text[at] != '\\' && text[at] >= ' ') {
            at++;
        }
        if (peek() == '"') {
            return new String(text, start, at++ - start);
        }
        StringBuilder found = new StringBuilder().append(text, start, at - start);
        while (peek() != '"') {
            char next = text[at++];
            if (next < ' ') {
                throw unsound("a control character is in a text");
            }
            found.append(next == '\\' ? escaped() : next);
        }
        at++;
        return found.toString();
    }

    private char escaped() throws PlanFileException {
        char next = peek();
        at++;
        switch (next) {
            case '"':
            case '\\':
            case '/':
                return next;
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                return unicode();
            default:
                throw unsound("no such escape");
        }
    }

    private char unicode() throws PlanFileException {
        int code = 0;
        for (int digit = 0; digit < 4; digit++) {
            char next = peek();
            int value = next < 128 ? Character.digit(next, 16) : -1;
            if (value < 0) {
                throw unsound("four hex digits are expected");
            }
            code = code * 16 + value;
            at++;
        }
        return (char) code;
    }

    private Object word(String word, Object value) throws PlanFileException {
        if (length - at < word.length()
                || !word.equals(new String(text, at, word.length()))) {
            throw unsound("a value is expected");
        }
        at += word.length();
        return value;
    }

    private Object number() throws PlanFileException {
        int start = at;
        boolean negative = peek() == '-';
        if (negative) {
            at++;
        }
        int first = at;
        skipDigits();
        if (at == first || (text[first] == '0' && at > first + 1)) {
            at = start;
            throw unsound("a value is expected");
        }
        int end = at;
        boolean whole = !skipFraction() & !skipExponent();
        if (!whole) {
            return Double.NaN; // whatever it is, nothing in a plan is to be that
        }
        if (end - first > MOST_DIGITS) {
            throw unsound("a number has too many digits");
        }
        return whole(first, end, negative);
    }

    private Long whole(int first, int end, boolean negative) {
        if (end - first > 18) {
            return negative ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
        long value = 0;
        for (int digit = first; digit < end; digit++) {
            value = value * 10 + (text[digit] - '0');
        }
        return negative ? -value : value;
    }

    private boolean skipFraction() throws PlanFileException {
        if (at >= length || text[at] != '.') {
            return false;
        }
        at++;
        return skipSomeDigits();
    }

    private boolean skipExponent() throws PlanFileException {
        if (at >= length || (text[at] != 'e' && text[at] != 'E')) {
            return false;
        }
        at++;
        if (at < length && (text[at] == '+' || text[at] == '-')) {
            at++;
        }
        return skipSomeDigits();
    }

    private boolean skipSomeDigits() throws PlanFileException {
        int start = at;
        skipDigits();
        if (at == start) {
            throw unsound("a digit is expected");
        }
        return true;
    }

    private void skipDigits() {
        while (at < length && text[at] >= '0' && text[at] <= '9') {
            at++;
        }
    }

    private void skipSpace() {
        while (at < length
                && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) {
            at++;
        }
    }

    private void expect(char wanted) throws PlanFileException {
        if (peek() != wanted) {
            throw unsound("'" + wanted + "' is expected");
        }
        at++;
    }

    private char peek() throws PlanFileException {
        if (at >= length) {
            throw unsound("it ends too early");
        }
        return text[at];
    }

    private PlanFileException unsound(String why) {
        int line = 1;
        for (int before = 0; before < Math.min(at, length); before++) {
            line += text[before] == '\n' ? 1 : 0;
        }
        return new PlanFileException("it isn't sound JSON: " + why + " in line " + line);
    }
}
