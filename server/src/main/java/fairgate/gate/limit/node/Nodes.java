package fairgate.gate.limit.node;

import fairgate.gate.limit.node.NodesScript.Answer;
import fairgate.gate.limit.node.NodesScript.Holder;
import fairgate.gate.limit.node.NodesScript.Word;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How many nodes share the limits: what Redis said last. Each node says twice a second that it is
/// alive, and counts for three seconds. One that is alone has the limits to itself, for two seconds
/// at a time; when another comes it lets go of them, which takes it a second and a half at most,
/// and the other one waits for that before it serves anybody.
///
/// A node that was cut off from Redis for more than three seconds and comes back does not wait: for
/// up to two seconds it may let pass what its limits allow beside what the other one does.
public final class Nodes implements Company, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Nodes.class);
  private static final Duration LIFE = Duration.ofSeconds(3);
  private static final Duration LENT = Duration.ofSeconds(2);
  private static final long EVERY_MS = 500;
  private static final long SOON_MS = 50;
  private static final Duration FAREWELL = Duration.ofMillis(500);

  private final Vertx vertx;
  private final NodesScript script;
  private final String self;
  private final LongSupplier nanos;
  private final Tenure tenure = new Tenure();
  private final Promise<Void> settled = Promise.promise();
  private volatile int alive = 1;
  private volatile boolean closed;

  /// Begins to say that this node is alive.
  ///
  /// @param keys of the nodes, and of who has the limits to itself; in one slot
  /// @param self this node's name, which no other has
  public Nodes(Vertx vertx, RedisClient redis, List<String> keys, String self, LongSupplier nanos) {
    this.vertx = vertx;
    this.script = new NodesScript(redis, keys);
    this.self = self;
    this.nanos = nanos;
    vertx.getOrCreateContext().runOnContext(_ -> beat());
  }

  @Override
  public int alive() {
    return alive;
  }

  @Override
  public Counts at(long now) {
    return tenure.at(now);
  }

  /// Completes once no other node counts by itself, as far as Redis knows.
  public Future<Void> settled() {
    return settled.future();
  }

  private void beat() {
    if (closed) {
      return;
    }
    long asked = nanos.getAsLong();
    long yieldsIn = tenure.yieldsIn(asked);
    Word word = yieldsIn < 0 ? Word.WANT : yieldsIn == 0 ? Word.YIELD : Word.KEEP;
    if (word == Word.YIELD) {
      tenure.ended();
    }
    script
        .run(self, LIFE, LENT, word)
        .onComplete(
            done -> {
              // While Redis is away, the last count stands: that is when it is asked for.
              if (done.succeeded()) {
                heard(done.result(), asked);
              }
              if (!closed) {
                long _ = vertx.setTimer(next(), _ -> beat());
              }
            });
  }

  private void heard(Answer answer, long asked) {
    alive = Math.max(1, answer.alive());
    long now = nanos.getAsLong();
    if (answer.holder() == Holder.ME && alive == 1 && tenure.yieldsIn(now) < 0) {
      tenure.lent(asked, LENT, now);
    } else {
      tenure.letGo(now);
    }
    if (answer.holder() != Holder.ANOTHER && settled.tryComplete()) {
      LOG.debug("{} nodes share the limits", alive);
    }
  }

  private long next() {
    long yieldsIn = tenure.yieldsIn(nanos.getAsLong());
    long usual = settled.future().isComplete() ? EVERY_MS : SOON_MS;
    return yieldsIn < 0 ? usual : Math.clamp(yieldsIn, 1, usual);
  }

  /// Says that this node is gone, if Redis hears it soon. What it counted by itself lasts a second
  /// at most, and so long another one waits.
  @Override
  public void close() {
    closed = true;
    try {
      var _ =
          script
              .run(self, LIFE, Tenure.SETTLE, Word.LEAVE)
              .toCompletionStage()
              .toCompletableFuture()
              .get(FAREWELL.toMillis(), TimeUnit.MILLISECONDS);
    } catch (java.util.concurrent.ExecutionException | TimeoutException e) {
      LOG.debug("Redis did not hear that this node is gone", e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
