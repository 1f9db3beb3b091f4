package fairgate.prove.check;

import fairgate.prove.environment.Engines;
import fairgate.prove.environment.Master;
import fairgate.prove.environment.Resp;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/// Connections of the checks to every Redis, each opened at the first read of one of its sales. For
/// one thread.
final class RedisConnections implements AutoCloseable {
  private static final long AGAIN_NANOS = 100_000_000;

  private final Engines engines;
  private final Map<Master, Resp> open = new HashMap<>();
  private final Map<Master, Long> dead = new HashMap<>();

  /// A look into one Redis.
  @FunctionalInterface
  interface Query {
    void at(Resp redis) throws IOException;
  }

  RedisConnections(Engines engines) {
    this.engines = engines;
  }

  Names names(String product) {
    return Names.of(product, engines.clustered());
  }

  /// To the Redis that has the sale.
  Resp to(String product) throws IOException {
    Master master = engines.master(product);
    Resp known = open.get(master);
    if (known == null) {
      known = master.open();
      open.put(master, known);
    }
    return known;
  }

  /// Looks at a sale, unless its Redis is dead or reads its log: then there is nothing to look at.
  void look(String product, Query look) {
    Master master = engines.master(product);
    Long since = dead.get(master);
    if (since != null && System.nanoTime() - since < AGAIN_NANOS) {
      return;
    }
    try {
      look.at(to(product));
      dead.remove(master);
    } catch (IOException _) {
      Resp broken = open.remove(master);
      if (broken != null) {
        broken.close();
      }
      dead.put(master, System.nanoTime());
    }
  }

  @Override
  public void close() {
    open.values().forEach(Resp::close);
  }
}
