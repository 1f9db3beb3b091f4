package fairgate.gate.limit;

import fairgate.platform.redis.RedisClient;
import io.vertx.core.Vertx;
import java.time.Duration;

/// How many nodes share the limits: what Redis said last. Each node says once a second that it is
/// alive, and counts for three.
final class Nodes implements AutoCloseable {
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration LIFE = Duration.ofSeconds(3);

  private final Vertx vertx;
  private final NodesScript script;
  private final String self;
  private final long timer;
  private volatile int alive = 1;

  Nodes(Vertx vertx, RedisClient redis, String self) {
    this.vertx = vertx;
    this.script = new NodesScript(redis);
    this.self = self;
    this.timer = vertx.setPeriodic(0, EVERY.toMillis(), _ -> beat());
  }

  int alive() {
    return alive;
  }

  private void beat() {
    // While Redis is away, the last count stands: that is when it is asked for.
    script.run(self, LIFE).onSuccess(count -> alive = Math.max(1, count));
  }

  @Override
  public void close() {
    boolean _ = vertx.cancelTimer(timer);
  }
}
