package fairgate.app.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import fairgate.testkit.Eventually;
import fairgate.testkit.RedisCluster;
import java.io.IOException;
import java.net.http.HttpTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// What the log says while masters are away and buyers go on asking: each part once, and once that
/// it goes on.
@Tag("proof")
class OutageLinesIT {
  private static final Logger ROOT =
      (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private ClusterShop shop;
  private RedisCluster cluster;

  @BeforeEach
  void start() {
    shop = new ClusterShop();
    cluster = shop.cluster();
    log.start();
    ROOT.addAppender(log);
  }

  @AfterEach
  void stop() {
    ROOT.detachAppender(log);
    shop.close();
  }

  @Test
  void aMasterThatDoesNotAnswerIsOneOutage() throws Exception {
    String sale = shop.sale(1, 3);
    shop.buy(sale);
    cluster.freeze(1);
    askFor(sale, 8);
    // One master of three: the others go on, and so does the node.
    Eventually.await(() -> shop.server().call("GET", "/health/ready", "").statusCode() == 200);
    Eventually.await(() -> warnings().stream().anyMatch(line -> line.contains(cluster.node(1))));
    assertThat(warnings()).doesNotHaveDuplicates();
    cluster.thaw(1);
    shop.buy(sale);
    Eventually.await(() -> ends().stream().anyMatch(line -> line.contains(cluster.node(1))));
    assertThat(ends()).doesNotHaveDuplicates();
    assertThat(warnings()).doesNotHaveDuplicates();
  }

  @Test
  void aClusterThatIsGoneIsOneOutage() throws Exception {
    String sale = shop.sale(1, 3);
    shop.buy(sale);
    for (int master = 0; master < RedisCluster.MASTERS; master++) {
      cluster.kill(master);
    }
    askFor(sale, 4);
    Eventually.await(
        () -> warnings().stream().anyMatch(line -> line.contains("map of the redis cluster")));
    assertThat(warnings()).doesNotHaveDuplicates();
  }

  /// Many buyers ask for so many seconds.
  private void askFor(String sale, int seconds) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    List<CompletableFuture<Void>> buyers = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 6; i++) {
        buyers.add(
            CompletableFuture.runAsync(
                () -> {
                  while (System.nanoTime() - end < 0) {
                    join(sale);
                  }
                },
                threads));
      }
    }
    assertThat(buyers).allMatch(buyer -> !buyer.isCompletedExceptionally());
  }

  /// Asks for a place. The JDK's client may use a connection that the server is closing: that call
  /// fails, and the buyer's next one goes on.
  private void join(String sale) {
    try {
      var _ = shop.server().call("POST", "/api/queue/join", ClusterShop.joinBody(sale));
    } catch (IllegalStateException e) {
      if (!(e.getCause() instanceof IOException) || e.getCause() instanceof HttpTimeoutException) {
        throw e;
      }
    }
  }

  /// What was said of outages, without what caused them.
  private List<String> warnings() {
    return lines(Level.WARN);
  }

  private List<String> ends() {
    return lines(Level.INFO).stream().filter(line -> line.startsWith("Going on")).toList();
  }

  private List<String> lines(Level level) {
    return List.copyOf(log.list).stream()
        .filter(line -> line.getLevel().equals(level))
        .map(line -> line.getFormattedMessage().split(" cause=", 2)[0])
        .toList();
  }
}
