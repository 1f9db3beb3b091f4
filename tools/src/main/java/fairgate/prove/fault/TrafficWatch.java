package fairgate.prove.fault;

import fairgate.prove.environment.Node;
import fairgate.prove.environment.TcpProxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;

/// Waits on the nodes' proxies to an engine for the moment a sold unit passes.
final class TrafficWatch implements TcpProxy.Tap {
  private static final byte[] EVENT = "reserved".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] COMMIT = "COMMIT\0".getBytes(StandardCharsets.US_ASCII);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Node node;
  private final Moment until;
  private final Consumer<Node> then;
  private final CompletableFuture<Node> first;
  private final Set<Object> writing = ConcurrentHashMap.newKeySet();

  /// Which moment.
  enum Moment {
    /// Redis hands it to the node.
    READ,
    /// It is on its way to the engine.
    SENT,
    /// The engine answers; of several batches on their way perhaps another one.
    ANSWERED,
    /// PostgreSQL answers the commit.
    COMMITTED
  }

  private TrafficWatch(
      Node node, Moment until, Consumer<Node> then, CompletableFuture<Node> first) {
    this.node = node;
    this.until = until;
    this.then = then;
    this.first = first;
  }

  /// The node on whose connection it passed first; empty if it did not within five seconds.
  ///
  /// @param then called at that moment, before the bytes are forwarded
  static Optional<Node> first(
      FaultContext site, Function<Node, TcpProxy> proxy, Moment until, Consumer<Node> then) {
    CompletableFuture<Node> first = new CompletableFuture<>();
    for (Node node : site.stage().nodes()) {
      proxy.apply(node).tap(new TrafficWatch(node, until, then, first));
    }
    try {
      return Optional.of(first.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException _) {
      // Whoever comes now is too late.
      synchronized (first) {
        return first.cancel(false) ? Optional.empty() : Optional.of(first.resultNow());
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } finally {
      site.stage().nodes().forEach(one -> proxy.apply(one).tap(TcpProxy.Tap.NONE));
    }
  }

  @Override
  public void request(Object link, ByteBuffer bytes) {
    if (until != Moment.READ && !first.isDone() && contains(bytes, EVENT)) {
      writing.add(link);
      if (until == Moment.SENT) {
        hit();
      }
    }
  }

  @Override
  public void reply(Object link, ByteBuffer bytes) {
    if (first.isDone()) {
      return;
    }
    boolean now =
        switch (until) {
          case READ -> contains(bytes, EVENT);
          case SENT -> false;
          case ANSWERED -> writing.contains(link);
          case COMMITTED -> writing.contains(link) && contains(bytes, COMMIT);
        };
    if (now) {
      hit();
    }
  }

  private void hit() {
    synchronized (first) {
      if (!first.isDone()) {
        then.accept(node);
        boolean _ = first.complete(node);
      }
    }
  }

  private static boolean contains(ByteBuffer bytes, byte[] word) {
    for (int at = bytes.position(); at + word.length <= bytes.limit(); at++) {
      int i = 0;
      while (i < word.length && bytes.get(at + i) == word[i]) {
        i++;
      }
      if (i == word.length) {
        return true;
      }
    }
    return false;
  }
}
