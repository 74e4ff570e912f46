package io.evenfleet;

/** Names in sentences, as Python's {@code repr} writes them: none can break a line of a log. */
final class Quoted {
    private Quoted() {
    }

    static String of(String name) {
        char quote = name.indexOf('\'') >= 0 && name.indexOf('"') < 0 ? '"' : '\'';
        StringBuilder text = new StringBuilder().append(quote);
        name.codePoints().forEach(code -> append(text, code, quote));
        return text.append(quote).toString();
    }

    private static void append(StringBuilder text, int code, char quote) {
        if (code == '\n') {
            text.append("\\n");
        } else if (code == '\r') {
            text.append("\\r");
        } else if (code == '\t') {
            text.append("\\t");
        } else if (code == '\\' || code == quote) {
            text.append('\\').append((char) code);
        } else if (isPrintable(code)) {
            text.appendCodePoint(code);
        } else if (code < 0x100) {
            text.append(String.format("\\x%02x", code));
        } else if (code < 0x10000) {
            text.append(String.format("\\u%04x", code));
        } else {
            text.append(String.format("\\U%08x", code));
        }
    }

    private static boolean isPrintable(int code) {
        switch (Character.getType(code)) {
            case Character.CONTROL:
            case Character.FORMAT:
            case Character.SURROGATE:
            case Character.PRIVATE_USE:
            case Character.UNASSIGNED:
            case Character.LINE_SEPARATOR:
            case Character.PARAGRAPH_SEPARATOR:
                return false;
            case Character.SPACE_SEPARATOR:
                return code == ' ';
            default:
                return true;
        }
    }
}
