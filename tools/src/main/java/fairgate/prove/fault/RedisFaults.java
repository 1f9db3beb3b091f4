package fairgate.prove.fault;

import fairgate.prove.environment.Master;
import fairgate.prove.environment.Resp;
import fairgate.prove.environment.Waiting;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/// Harm to Redis that loses nothing it has answered.
final class RedisFaults {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private RedisFaults() {}

  static boolean killed(FaultContext site) {
    Master master = site.master();
    master.kill();
    long from = System.nanoTime();
    Waiting.rest(site.about(800));
    boolean met = site.outage(master, from);
    master.back();
    return met;
  }

  static boolean scriptsFlushed(FaultContext site) throws IOException {
    boolean all = true;
    for (Master master : site.engines().masters()) {
      try (Resp redis = master.open()) {
        all &= "OK".equals(redis.call("SCRIPT", "FLUSH"));
      }
    }
    return all;
  }

  /// A sale that is on moves to another master, key by key.
  static boolean slotMoved(FaultContext site) throws IOException {
    List<String> on = site.products().get();
    if (on.isEmpty()) {
      return false;
    }
    String product = on.get(site.chance().nextInt(on.size()));
    List<Master> all = site.engines().masters();
    int other = site.engines().master(product).index() + 1 + site.chance().nextInt(all.size() - 1);
    site.engines().move(product, all.get(other % all.size()));
    return true;
  }

  static boolean outOfMemory(FaultContext site) throws IOException {
    Master master = site.master();
    try (Resp redis = master.open()) {
      if (!"OK".equals(redis.call("CONFIG", "SET", "maxmemory", "1"))) {
        return false;
      }
      long from = System.nanoTime();
      Waiting.rest(site.about(1_000));
      boolean met = site.outage(master, from);
      return "OK".equals(redis.call("CONFIG", "SET", "maxmemory", "0")) && met;
    }
  }

  /// A snapshot that cannot be written makes Redis refuse every write.
  static boolean readOnly(FaultContext site) throws IOException {
    Master master = site.master();
    try (Resp redis = master.open()) {
      master.lockFolder(true);
      Object _ = redis.call("CONFIG", "SET", "save", "1 1");
      Object _ = redis.call("BGSAVE");
      String probe = "prove:{" + site.product(master) + "}:write";
      boolean refuses = Waiting.holds(PATIENCE, () -> refuses(redis, probe));
      long from = System.nanoTime();
      Waiting.rest(site.about(1_000));
      boolean met = refuses && site.outage(master, from);
      master.lockFolder(false);
      Object _ = redis.call("CONFIG", "SET", "save", "");
      Object _ = redis.call("BGSAVE");
      return met;
    } finally {
      master.lockFolder(false);
    }
  }

  /// The log of Redis cannot grow. Redis undoes the latest writes and exits before it has answered
  /// them.
  static boolean diskFull(FaultContext site) throws IOException {
    Master master = site.master();
    if (!master.fillDisk("prove:{" + site.product(master) + "}:write")) {
      return false;
    }
    long from = System.nanoTime();
    Waiting.rest(site.about(800));
    boolean met = site.outage(master, from);
    master.back();
    return met;
  }

  private static boolean refuses(Resp redis, String probe) {
    try {
      return String.valueOf(redis.call("SET", probe, "1", "PX", "1000")).startsWith("-MISCONF");
    } catch (IOException _) {
      return false;
    }
  }
}
