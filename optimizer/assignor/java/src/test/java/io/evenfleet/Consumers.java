package io.evenfleet;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Real consumers, many in one process, as lines of standard input say: {@code start}, {@code close}
 * and {@code rejoin}, each with a name; with the first come topics and properties. All is separated by
 * tabs. With the property {@code records.per.second} one works no faster. What they get (+) and give
 * up (-) is printed, with the time in milliseconds.
 */
final class Consumers {
    private static final Map<String, Consumer> RUNNING = new HashMap<>();

    private Consumers() {
    }

    public static void main(String[] none) throws Exception {
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split("\t");
            if (words[0].equals("start")) {
                Consumer consumer = new Consumer(words);
                RUNNING.put(words[1], consumer);
                consumer.start();
            } else if (words[0].equals("rejoin")) {
                RUNNING.get(words[1]).rejoins = true;
            } else {
                RUNNING.get(words[1]).ends = true;
                RUNNING.remove(words[1]).join();
                print(words[1], ".", "");
            }
        }
        System.exit(0);
    }

    private static synchronized void print(String name, String what, String more) {
        System.out.println(System.currentTimeMillis() + "\t" + name + "\t" + what + "\t" + more);
    }

    private static final class Consumer extends Thread implements ConsumerRebalanceListener {
        volatile boolean ends;
        volatile boolean rejoins;
        private final List<String> topics;
        private final Map<String, Object> settings = new HashMap<>();
        private final double pace;

        Consumer(String[] words) {
            super(words[1]);
            setDaemon(true);
            topics = Arrays.asList(words[2].split(","));
            for (String setting : Arrays.copyOfRange(words, 3, words.length)) {
                settings.put(setting.split("=", 2)[0], setting.split("=", 2)[1]);
            }
            settings.put("key.deserializer", ByteArrayDeserializer.class);
            settings.put("value.deserializer", ByteArrayDeserializer.class);
            settings.putIfAbsent("enable.auto.commit", "false");
            pace = Double.parseDouble(settings.getOrDefault("records.per.second", "0").toString());
            settings.remove("records.per.second");
            settings.put("auto.offset.reset", "earliest");
        }

        @Override
        public void run() {
            try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
                consumer.subscribe(topics, this);
                while (!ends) {
                    if (rejoins) {
                        rejoins = false;
                        consumer.enforceRebalance();
                    }
                    int records = consumer.poll(Duration.ofMillis(100)).count();
                    if (pace > 0) {
                        Thread.sleep(Math.round(records * 1000 / pace));
                    }
                }
            } catch (RuntimeException | InterruptedException failed) {
                print(getName(), "!", failed.toString());
            }
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            tell("+", partitions);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            tell("-", partitions);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            tell("-", partitions);
        }

        private void tell(String what, Collection<TopicPartition> partitions) {
            print(getName(), what, partitions.stream()
                .map(one -> one.topic() + ":" + one.partition())
                .collect(Collectors.joining(",")));
        }
    }
}
