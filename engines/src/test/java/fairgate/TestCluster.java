package fairgate;

import fairgate.testkit.RedisCluster;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/// A Redis Cluster of three masters made of the Redis that `up` brings.
public final class TestCluster {
  private static final AtomicInteger COUNT = new AtomicInteger();

  private TestCluster() {}

  /// One for a test to hurt; that test closes it.
  public static RedisCluster start() {
    long pid = ProcessHandle.current().pid();
    return RedisCluster.start(
        TestEngines.shared().redisProgram(),
        Path.of("target/test-cluster-" + pid + "/" + COUNT.incrementAndGet()));
  }
}
