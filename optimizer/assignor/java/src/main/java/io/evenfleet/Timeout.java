package io.evenfleet;

import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Work that is given up when it takes too long. */
final class Timeout {
    private Timeout() {
    }

    /**
     * What {@code work} returns or throws; TimeoutException if it takes longer.
     *
     * <p>It runs in a thread that nobody waits for any more then: neither a slow name server, nor a
     * server that sends a byte a second, nor a file system that hangs can hold up the caller.
     */
    static <T> T millis(long millis, Callable<T> work) throws Exception {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "evenfleet-plan");
        thread.setDaemon(true);
        thread.start();
        try {
            return task.get(millis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException tooLong) {
            task.cancel(true);
            throw new TimeoutException("it took longer than " + seconds(millis) + " s");
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof Exception) {
                throw (Exception) failed.getCause();
            }
            throw failed;
        }
    }

    private static String seconds(long millis) {
        return millis % 1000 == 0
            ? Long.toString(millis / 1000)
            : String.format(Locale.ROOT, "%s", millis / 1000.0);
    }
}
