package fairgate.sale.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.sale.ledger.LedgerWait.Fact;
import fairgate.testkit.Eventually;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class LedgerWaitTest {
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final Set<Fact> ledger = ConcurrentHashMap.newKeySet();
  private final AtomicInteger looks = new AtomicInteger();
  private final AtomicLong nanos = new AtomicLong();
  private volatile boolean away;
  private final Vertx vertx = Vertx.vertx();
  private final LedgerWait wait = new LedgerWait(vertx, this::known, PATIENCE, nanos::get);

  @AfterEach
  void end() {
    var _ = vertx.close().await();
  }

  private Future<Set<Fact>> known(List<Fact> facts) {
    looks.incrementAndGet();
    if (away) {
      return Future.failedFuture(new ServiceUnavailable("away", Duration.ofSeconds(1)));
    }
    Set<Fact> known = ConcurrentHashMap.newKeySet();
    known.addAll(facts);
    known.retainAll(ledger);
    return Future.succeededFuture(known);
  }

  private static Fact fact(int number) {
    return new Fact(OrderId.of(new ProductId("7"), "%026d".formatted(number)), "p" + number);
  }

  private void afterLooks(int more) {
    int until = looks.get() + more;
    Eventually.await("looks", () -> looks.get() >= until);
  }

  @Test
  void waitsUntilTheLedgerKnows() {
    Future<Boolean> known = wait.known(fact(1));
    Future<Boolean> shared = wait.known(fact(1));
    afterLooks(3);
    assertThat(known.isComplete()).isFalse();
    ledger.add(fact(1));
    assertThat(known.await()).isTrue();
    assertThat(shared.await()).isTrue();
    assertThat(wait.known(fact(1)).await()).as("asked again").isTrue();
  }

  @Test
  void whoWaitedLongEnoughIsToldSo() {
    Future<Boolean> early = wait.known(fact(1));
    nanos.addAndGet(PATIENCE.toNanos() / 2);
    Future<Boolean> late = wait.known(fact(2));
    nanos.addAndGet(PATIENCE.toNanos() / 2);
    assertThat(early.await()).isFalse();
    afterLooks(3);
    assertThat(late.isComplete()).isFalse();
    ledger.add(fact(2));
    assertThat(late.await()).isTrue();
  }

  @Test
  void anUnreachableLedgerKnowsNothing() {
    away = true;
    Future<Boolean> known = wait.known(fact(1));
    Future<Boolean> other = wait.known(fact(2));
    afterLooks(2);
    nanos.addAndGet(PATIENCE.toNanos());
    assertThat(known.await()).isFalse();
    assertThat(other.await()).isFalse();
    away = false;
    ledger.add(fact(1));
    assertThat(wait.known(fact(1)).await()).isTrue();
  }

  @Test
  void aCrowdIsLookedUpTogetherAndNobodyIsLeftOut() {
    List<Future<Boolean>> known =
        IntStream.range(0, 1_800).mapToObj(i -> wait.known(fact(i))).toList();
    IntStream.range(0, 1_800).filter(i -> i % 2 == 0).forEach(i -> ledger.add(fact(i)));
    for (int i = 0; i < 1_800; i += 2) {
      assertThat(known.get(i).await()).isTrue();
    }
    nanos.addAndGet(PATIENCE.toNanos());
    for (int i = 1; i < 1_800; i += 2) {
      assertThat(known.get(i).await()).isFalse();
    }
    assertThat(looks.get()).isLessThan(1_800 / 2);
  }
}
