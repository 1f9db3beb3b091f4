package fairgate.bench;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Another node as far as Redis knows, which does nothing but say that it is there: a server then
/// counts no limit by itself. Opened once the server has noticed, closed once it has again.
final class Neighbour implements AutoCloseable {
  private static final String NODES = "rl:nodes";
  private static final String NAME = "neighbour";
  private static final String ALONE = "rl:alone";
  private static final long BEAT_MS = 300;
  private static final long PATIENCE_S = 20;

  private final Child server;
  private final CountDownLatch over = new CountDownLatch(1);
  private final Thread thread;

  Neighbour(Child server) throws IOException {
    this.server = server;
    this.thread = Thread.ofPlatform().start(this::beat);
    until(false);
  }

  private void beat() {
    try (RawRedis redis = new RawRedis(server.redisSocket())) {
      do {
        // By the time of Redis, which here is that of this machine.
        String _ = redis.call("ZADD", NODES, Long.toString(System.currentTimeMillis()), NAME);
      } while (!over.await(BEAT_MS, TimeUnit.MILLISECONDS));
      String _ = redis.call("ZREM", NODES, NAME);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Waits until the server counts by itself or does not.
  private void until(boolean alone) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
    try (RawRedis redis = new RawRedis(server.redisSocket())) {
      while ("1".equals(String.valueOf(redis.call("EXISTS", ALONE))) != alone) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException("the server did not notice in time");
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      }
    }
    if (alone) {
      // For a second it asks Redis still.
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1_500));
    }
  }

  @Override
  public void close() throws IOException {
    over.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    until(true);
  }
}
