package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.Audit;
import fairgate.kernel.ProductId;
import fairgate.platform.observe.Metrics;
import fairgate.testkit.Eventually;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class QueueLoopTest {
  private static final long IDLE_MS = 2_000;

  private static long rest(String state, int places, long untilChange) {
    return QueueLoop.restMillis(new ExpireScript.Run(0, 0, false, state, places, untilChange, 0));
  }

  @Test
  void anOpenSaleWithPeopleIsLookedAtByEveryTick() {
    assertThat(rest("open", 5, 700)).isZero();
    assertThat(rest("open", 5, -1)).isZero();
  }

  @Test
  void anOpenSaleWithNobodyInItTicksSlowlyAndAtItsEnd() {
    assertThat(rest("open", 0, -1)).isEqualTo(IDLE_MS);
    assertThat(rest("open", 0, 700)).isEqualTo(700);
  }

  /// Without the call of `wake`, the place would wait for the end of the rest.
  @Test
  void whoeverJoinsAnEmptySaleIsAdmittedByTheNextTick() {
    SaleWorld sale = SaleWorld.open(5, "capacity 4 slots 4");
    Vertx vertx = Vertx.vertx();
    try (QueueLoop loop =
        new QueueLoop(
            vertx,
            QueueScripts.on(sale.redis()),
            QueueFeature.Config.defaults(),
            () -> List.of(sale.product()),
            new QueueMeters(new Metrics()),
            new QueueAudit(Audit.none()))) {
      AtomicInteger ready = new AtomicInteger();
      loop.onReady(sessions -> ready.addAndGet(sessions.size()));
      loop.soon(sale.product());
      Eventually.await("the empty sale rests", () -> loop.rests(sale.product()));
      assertThat(sale.join(sale.buyers(1))).hasSize(1);
      loop.tick();
      assertThat(loop.rests(sale.product())).isTrue();
      loop.wake(sale.product());
      assertThat(loop.rests(sale.product())).isFalse();
      loop.tick();
      Eventually.await("the first one is ready", () -> ready.get() == 1);
    } finally {
      vertx.close().await();
    }
  }

  @Test
  void whoKeepsTheListsIsAskedForOneOfWhichNobodyHasToldForSeconds() {
    SaleWorld sale = SaleWorld.open(5, "capacity 4 slots 4");
    ListTurnScript list = new ListTurnScript(sale.redis(), SaleKeys.Style.PLAIN);
    ListTurnScript.Registration first =
        new ListTurnScript.Registration(Instant.EPOCH.plusMillis(1), Seat.IN_ORDER);
    ListTurnScript.Registrations all = new ListTurnScript.Registrations(1, List.of(first));
    assertThat(list.first(sale.product(), first, 1, all).await()).isTrue();
    sale.sent("HSET", sale.keys().sale(), "list_told_at", "1");
    assertThat(sale.join(sale.buyers(1))).hasSize(1);
    Vertx vertx = Vertx.vertx();
    try (QueueLoop loop =
        new QueueLoop(
            vertx,
            QueueScripts.on(sale.redis()),
            QueueFeature.Config.defaults(),
            List::of,
            new QueueMeters(new Metrics()),
            new QueueAudit(Audit.none()))) {
      Set<ProductId> asked = ConcurrentHashMap.newKeySet();
      loop.onOldList(asked::add);
      loop.soon(sale.product());
      Eventually.await("the list is asked for", () -> asked.contains(sale.product()));
    } finally {
      vertx.close().await();
    }
  }

  @Test
  void windowsThatRunAtTheClosingTimeAreLookedAtByEveryTick() {
    assertThat(rest("closed", 1, -1)).isZero();
    assertThat(rest("closed", 0, -1)).isEqualTo(IDLE_MS);
  }

  @Test
  void aScheduledSaleTicksSlowlyAndIsLookedAtAgainWhenItOpens() {
    assertThat(rest("scheduled", 5, -1)).isEqualTo(IDLE_MS);
    assertThat(rest("scheduled", 5, 60_000)).isEqualTo(IDLE_MS);
    assertThat(rest("scheduled", 5, 700)).isEqualTo(700);
  }

  @Test
  void anUnusualShareOfAbsentPeopleIsLoggedAsAnErrorOnceAMinute() {
    SaleWorld sale = withAThirdAbsent();
    SaleWorld another = withAThirdAbsent();
    Logger log = (Logger) LoggerFactory.getLogger(QueueLoop.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    log.addAppender(lines);
    Metrics metrics = new Metrics();
    Vertx vertx = Vertx.vertx();
    try (QueueLoop loop =
        new QueueLoop(
            vertx,
            QueueScripts.on(sale.redis()),
            QueueFeature.Config.defaults(),
            List::of,
            new QueueMeters(metrics),
            new QueueAudit(Audit.none()))) {
      loop.soon(sale.product());
      Eventually.await(() -> halts(metrics) == 1);
      loop.soon(another.product());
      Eventually.await(() -> halts(metrics) == 2);
    } finally {
      log.detachAppender(lines);
      vertx.close().await();
    }
    assertThat(lines.list)
        .filteredOn(line -> line.getLevel() == Level.ERROR)
        .singleElement()
        .extracting(ILoggingEvent::getFormattedMessage, STRING)
        .contains("unusual share", "productId=" + sale.product(), "missing=10");
  }

  private static SaleWorld withAThirdAbsent() {
    SaleWorld sale = SaleWorld.open(60, "presence_ms 60000 capacity 4 slots 4");
    List<Buyer> all = sale.buyers(30);
    assertThat(sale.join(all)).hasSize(30);
    all.subList(0, 10).forEach(buyer -> sale.lastSeen(buyer, Duration.ofSeconds(72)));
    sale.reachableFor(Duration.ofSeconds(90));
    return sale;
  }

  private static int halts(Metrics metrics) {
    return metrics
        .scrape()
        .lines()
        .filter(line -> line.startsWith("fairgate_queue_presence_halts_total"))
        .mapToInt(line -> (int) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }
}
