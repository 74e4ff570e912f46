package io.evenfleet;

import com.sun.net.httpserver.HttpServer;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;

/** Where plans come from, in bounded time. */
public final class PlanSourceTest {
    private static final byte[] TEXT = "text".getBytes(StandardCharsets.UTF_8);

    public void testAFileAndAUrl() throws Exception {
        Path file = Files.createTempFile("plan", ".json");
        Files.write(file, TEXT);
        check(new String(new PlanSource(file.toString(), 5000).text(), StandardCharsets.UTF_8), "text");
        Files.delete(file);
        refused(file.toString(), 5000, "No such file");
        HttpServer server = server();
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        try {
            check(new String(new PlanSource(url + "/plan?x=1", 5000).text(), StandardCharsets.UTF_8), "text");
            refused(url + "/nothing", 5000, "HTTP Error 404");
            refused(url + "/drips", 300, "it took longer than 0.3 s");
            refused(url + "/endless", 20000, "it has more than " + PlanSource.LIMIT + " bytes");
        } finally {
            server.stop(0);
        }
    }

    public void testAPasswordIsNeitherUsedNorPrinted() throws Exception {
        String url = "http://someone:s3cret@127.0.0.1:1/plan";
        refused(url, 5000, "a URL with a user or a password can't be read");
        refused("http://[s3cret/", 5000, "it is no URL that can be read");
        check(new PlanSource(url, 1).toString(), "http://127.0.0.1:1/plan");
        check(new PlanSource("HTTPS://host/plan?token=s3cret#s3cret", 1).toString(), "https://host/plan");
        check(new PlanSource("/a/file?#@x", 1).toString(), "/a/file?#@x");
    }

    /** One that drips sends a byte now and then; each is in time, all together never. */
    private static HttpServer server() throws Exception {
        HttpServer server =
            HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool(work -> {
            Thread thread = new Thread(work);
            thread.setDaemon(true);
            return thread;
        }));
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            boolean found = !path.equals("/nothing");
            exchange.sendResponseHeaders(found ? 200 : 404, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(TEXT);
                byte[] more = new byte[path.equals("/endless") ? 1 << 20 : 1];
                while (path.equals("/drips") || path.equals("/endless")) {
                    out.write(more);
                    out.flush();
                    Thread.sleep(more.length == 1 ? 20 : 0);
                }
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        });
        server.start();
        return server;
    }

    private static void refused(String location, long millis, String why) throws Exception {
        try {
            new PlanSource(location, millis).text();
        } catch (Exception refused) {
            check(refused.getMessage(), why);
            return;
        }
        throw new AssertionError(location + " was read");
    }

    private static void check(String found, String wanted) {
        if (!found.equals(wanted)) {
            throw new AssertionError(found + " instead of " + wanted);
        }
    }
}
