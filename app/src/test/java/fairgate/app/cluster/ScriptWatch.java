package fairgate.app.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.testkit.RedisCluster;
import fairgate.testkit.RespConnection;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/// Monitors the commands of the masters, and computes the slots of each script's keys
/// independently.
final class ScriptWatch implements AutoCloseable {
  private final List<RespConnection> connections = new ArrayList<>();
  private final List<String> crossed = new CopyOnWriteArrayList<>();
  private final AtomicInteger scripts = new AtomicInteger();

  static ScriptWatch of(RedisCluster cluster) {
    ScriptWatch watch = new ScriptWatch();
    for (int master = 0; master < RedisCluster.MASTERS; master++) {
      var connection = new RespConnection(cluster.port(master));
      assertThat(connection.send("MONITOR")).isEqualTo("OK");
      watch.connections.add(connection);
      Thread.ofVirtual().start(() -> watch.listen(connection));
    }
    return watch;
  }

  private void listen(RespConnection connection) {
    try {
      while (true) {
        hear(connection.next());
      }
    } catch (UncheckedIOException _) {
      // Closed at the end of the test.
    }
  }

  /// A line has the form `time [db address] "evalsha" "hash" "2" "key" "key" ...`; commands within
  /// a script have the address `lua`.
  private void hear(String line) {
    String[] words =
        Stream.of(line.substring(line.indexOf(']') + 1).trim().split("\" \"", -1))
            .map(word -> word.replace("\"", ""))
            .toArray(String[]::new);
    if (!words[0].equalsIgnoreCase("evalsha") || line.contains(" lua]")) {
      return;
    }
    scripts.incrementAndGet();
    int keys = Integer.parseInt(words[2]);
    long slots =
        Stream.of(words).skip(3).limit(keys).mapToInt(ScriptWatch::slot).distinct().count();
    if (slots != 1) {
      crossed.add(line);
    }
  }

  /// CRC16 bit by bit, of the tag or the whole name.
  private static int slot(String key) {
    int open = key.indexOf('{');
    int close = key.indexOf('}', open + 1);
    String hashed = open >= 0 && close > open + 1 ? key.substring(open + 1, close) : key;
    int crc = 0;
    for (int i = 0; i < hashed.length(); i++) {
      crc ^= hashed.charAt(i) << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) == 0 ? crc << 1 : crc << 1 ^ 0x1021;
      }
      crc &= 0xffff;
    }
    return crc % 16_384;
  }

  int scripts() {
    return scripts.get();
  }

  List<String> crossed() {
    return crossed;
  }

  @Override
  public void close() {
    connections.forEach(RespConnection::close);
  }
}
