package io.evenfleet;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;

/** Reading a plan's text in bounded time. */
final class PlanSource {
    /** Bytes: more than a plan of two million partitions takes. */
    static final int LIMIT = 64 << 20;

    private final String location;
    private final long millis;

    PlanSource(String location, long millis) {
        this.location = location;
        this.millis = millis;
    }

    /** What is in the file, or behind the http(s) URL. */
    byte[] text() throws Exception {
        return Timeout.millis(millis, this::limited);
    }

    private byte[] limited() throws IOException {
        try (InputStream opened = isUrl() ? answer() : Files.newInputStream(Path.of(location))) {
            byte[] found = opened.readNBytes(LIMIT + 1);
            if (found.length > LIMIT) {
                throw new IOException("it has more than " + LIMIT + " bytes");
            }
            return found;
        } catch (NoSuchFileException | AccessDeniedException failed) {
            throw new IOException(reason(failed), failed);
        }
    }

    /** Why a file can't be read, as Python says it: Java's own text is the path alone. */
    static String reason(Exception failed) {
        if (failed instanceof NoSuchFileException) {
            return "No such file";
        }
        return failed instanceof AccessDeniedException ? "Permission denied" : failed.getMessage();
    }

    private InputStream answer() throws IOException {
        if (authority().indexOf('@') >= 0) { // or an error's text would print the password
            throw new IOException("a URL with a user or a password can't be read");
        }
        HttpURLConnection connection;
        try {
            connection = (HttpURLConnection) URI.create(location).toURL().openConnection();
        } catch (IllegalArgumentException odd) { // its text has what may be secret
            throw new IOException("it is no URL that can be read");
        }
        connection.setConnectTimeout((int) millis);
        connection.setReadTimeout((int) millis);
        connection.setUseCaches(false);
        int status = connection.getResponseCode();
        if (status < 200 || status > 299) {
            connection.disconnect();
            throw new IOException("HTTP Error " + status);
        }
        return connection.getInputStream();
    }

    private boolean isUrl() {
        String lower = location.toLowerCase(Locale.ROOT);
        return lower.startsWith("http://") || lower.startsWith("https://");
    }

    /** Host and port, with user and password if there are. */
    private String authority() {
        return location.substring(location.indexOf("//") + 2).split("[/?#]", 2)[0];
    }

    /** The location as a log may have it: without a user, a password or a token. */
    @Override
    public String toString() {
        if (!isUrl()) {
            return location;
        }
        String authority = authority();
        int start = location.indexOf("//") + 2;
        String path = location.substring(start + authority.length()).split("[?#]", 2)[0];
        String host = authority.substring(authority.lastIndexOf('@') + 1);
        return location.substring(0, start).toLowerCase(Locale.ROOT) + host + path;
    }
}
