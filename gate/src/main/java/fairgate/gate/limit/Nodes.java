package fairgate.gate.limit;

import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How many nodes share the limits: the last answer of Redis. Each node reports once a second and
/// counts as alive for three seconds. Safe for use by any thread.
final class Nodes implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Nodes.class);
  private static final Duration LIFE = Duration.ofSeconds(3);
  private static final long EVERY_MS = 1_000;
  private static final Duration FAREWELL = Duration.ofMillis(500);

  private final Vertx vertx;
  private final NodesScript script;
  private final String self;
  private final LongSupplier nanos;
  private volatile int alive = 1;
  private volatile boolean closed;
  private volatile LongConsumer onReply = _ -> {};

  /// Begins to report.
  ///
  /// @param self this node's name; no other node has it
  Nodes(Vertx vertx, RedisClient redis, String self, LongSupplier nanos) {
    this.vertx = vertx;
    this.script = new NodesScript(redis, redis.tag(LimitKeys.TAG) + LimitKeys.NODES);
    this.self = self;
    this.nanos = nanos;
    vertx.getOrCreateContext().runOnContext(_ -> report());
  }

  /// The nodes alive, this one included. While Redis is away the last count stands.
  int alive() {
    return alive;
  }

  /// Calls a listener with the duration of each answered report, ns. It must not block.
  void onReply(LongConsumer listener) {
    onReply = listener;
  }

  private void report() {
    if (closed) {
      return;
    }
    long asked = nanos.getAsLong();
    Future<Integer> answer = script.report(self, LIFE);
    answer
        .onSuccess(
            count -> {
              alive = Math.max(1, count);
              onReply.accept(nanos.getAsLong() - asked);
            })
        .onComplete(
            _ -> {
              long _ = vertx.setTimer(EVERY_MS, _ -> report());
            });
  }

  /// Removes this node from the count, if Redis answers soon; else its report expires.
  @Override
  public void close() {
    closed = true;
    try {
      var _ =
          script
              .leave(self)
              .toCompletionStage()
              .toCompletableFuture()
              .get(FAREWELL.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.debug("Redis was not told that this node is gone; node={}", self, e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
