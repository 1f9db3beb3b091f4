package fairgate.prove.environment;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/// Which master has which sale: computed here, bit by bit, with no code of the server's.
final class ClusterSlots {
  private static final int COUNT = 16_384;
  private static final int POLYNOMIAL = 0x1021;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final String KEYS_AT_ONCE = "100";

  private final List<Master> masters;
  private final Map<Integer, Master> moved = new ConcurrentHashMap<>();
  private final Map<Integer, Set<Master>> before = new ConcurrentHashMap<>();

  ClusterSlots(List<Master> masters) {
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
    return owner(product, moved);
  }

  /// Those that a master has now, whatever moves later.
  Predicate<String> salesOf(Master master) {
    Map<Integer, Master> now = Map.copyOf(moved);
    return product -> owner(product, now).equals(master);
  }

  /// The same, and those it has ever had. Pointers of sessions do not move with their sale.
  Predicate<String> placesOf(Master master) {
    Predicate<String> now = salesOf(master);
    return product ->
        now.test(product) || before.getOrDefault(of(product), Set.of()).contains(master);
  }

  private Master owner(String product, Map<Integer, Master> moved) {
    int slot = of(product);
    Master now = moved.get(slot);
    if (now != null) {
      return now;
    }
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
    Waiting.until("the cluster", PATIENCE, () -> masters.stream().allMatch(ClusterSlots::knowsAll));
  }

  /// Moves a sale's slot with all its keys, as `redis-cli --cluster reshard` does.
  void move(String product, Master to) throws IOException {
    Master from = owner(product);
    String slot = Integer.toString(of(product));
    ok(to, "CLUSTER", "SETSLOT", slot, "IMPORTING", id(from));
    ok(from, "CLUSTER", "SETSLOT", slot, "MIGRATING", id(to));
    String port = Integer.toString(to.address().port());
    try (Resp redis = from.open()) {
      List<String> keys = redis.texts("CLUSTER", "GETKEYSINSLOT", slot, KEYS_AT_ONCE);
      while (!keys.isEmpty()) {
        List<String> command =
            new ArrayList<>(List.of("MIGRATE", "127.0.0.1", port, "", "0", "5000", "KEYS"));
        command.addAll(keys);
        ok(from, command.toArray(String[]::new));
        keys = redis.texts("CLUSTER", "GETKEYSINSLOT", slot, KEYS_AT_ONCE);
      }
    }
    ok(to, "CLUSTER", "SETSLOT", slot, "NODE", id(to));
    ok(from, "CLUSTER", "SETSLOT", slot, "NODE", id(to));
    before.computeIfAbsent(of(product), _ -> ConcurrentHashMap.newKeySet()).add(from);
    moved.put(of(product), to);
  }

  private static String id(Master master) throws IOException {
    try (Resp redis = master.open()) {
      return String.valueOf(redis.value("CLUSTER", "MYID"));
    }
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
