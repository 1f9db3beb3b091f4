package fairgate.prove.stage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/// Which master has which sale: computed here, bit by bit, with no code of the server's.
final class Slots {
  private static final int COUNT = 16_384;
  private static final int POLYNOMIAL = 0x1021;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final List<Master> masters;

  Slots(List<Master> masters) {
    this.masters = masters;
  }

  /// CRC16 (XMODEM) of a sale's tag.
  static int of(String product) {
    int crc = 0;
    for (byte one : product.getBytes(StandardCharsets.UTF_8)) {
      crc ^= (one & 0xff) << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) == 0 ? crc << 1 : crc << 1 ^ POLYNOMIAL;
      }
      crc &= 0xffff;
    }
    return crc % COUNT;
  }

  Master owner(String product) {
    int slot = of(product);
    Master owner = masters.getFirst();
    for (Master master : masters) {
      owner = slot >= first(master.index()) ? master : owner;
    }
    return owner;
  }

  private int first(int index) {
    return (COUNT * index + masters.size() - 1) / masters.size();
  }

  /// Gives every master its part and lets them know each other; returns once all know all.
  void share() throws IOException {
    for (Master master : masters) {
      String from = Integer.toString(first(master.index()));
      String to = Integer.toString(first(master.index() + 1) - 1);
      ok(master, "CLUSTER", "ADDSLOTSRANGE", from, to);
      ok(master, "CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(master.index() + 1));
    }
    for (Master master : masters.subList(1, masters.size())) {
      String port = Integer.toString(master.address().port());
      String busPort = Integer.toString(master.address().busPort());
      ok(masters.getFirst(), "CLUSTER", "MEET", "127.0.0.1", port, busPort);
    }
    Waiting.until("the cluster", PATIENCE, () -> masters.stream().allMatch(Slots::knowsAll));
  }

  private static boolean knowsAll(Master master) {
    try (Resp redis = master.open()) {
      String info = String.valueOf(redis.call("CLUSTER", "INFO"));
      return info.contains("cluster_state:ok") && info.contains("cluster_slots_ok:" + COUNT);
    } catch (IOException _) {
      return false;
    }
  }

  private static void ok(Master master, String... command) throws IOException {
    try (Resp redis = master.open()) {
      Object reply = redis.call(command);
      if (!"OK".equals(reply)) {
        throw new IOException(String.join(" ", command) + ": " + reply);
      }
    }
  }
}
