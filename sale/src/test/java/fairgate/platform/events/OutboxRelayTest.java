package fairgate.platform.events;

import static fairgate.sale.ledger.LedgerFixture.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ServiceUnavailable;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
final class OutboxRelayTest extends RelayWorld {
  @Test
  void entriesAreWrittenAndAcknowledged() {
    reserve(1, 250);
    OutboxRelay relay = relay("a", books.ledger().sink());
    eventually("all written", () -> orders() == 250 && pending() == 0);
    reserve(251, 10);

    eventually("later ones too", () -> orders() == 260 && pending() == 0);
    eventually("the lag is told", () -> relay.status().working() && relay.status().lag() == 0);
  }

  @Test
  void ownPendingEntriesAreDeliveredFirst() {
    reserve(1, 30);
    take("a", 20);
    List<String> order = new ArrayList<>();
    relay(
        "a",
        (stream, entries) -> {
          entries.forEach(entry -> order.add(entry.fields().get("seq")));
          books.ledger().sink().apply(stream, entries);
        });

    eventually("all written", () -> orders() == 30 && pending() == 0);
    assertThat(order).hasSize(30).startsWith("1", "2").endsWith("29", "30");
  }

  @Test
  void entriesOfADeadConsumerAreClaimed() {
    reserve(1, 20);
    take("dead", 20);
    relay("alive", books.ledger().sink());

    eventually("all written", () -> orders() == 20 && pending() == 0);
  }

  @Test
  void aCrashBetweenCommitAndAcknowledgementCausesNoDuplicates() {
    reserve(1, 40);
    take("a", 40);
    books.ledger().sink().apply(sale, history.entries());
    assertThat(pending()).isEqualTo(40);
    relay("a", books.ledger().sink());

    eventually("acknowledged", () -> pending() == 0);
    assertThat(orders()).isEqualTo(40);
    assertThat(books.totals(sale)).isEqualTo("100000/40/0");
  }

  @Test
  void twoRelaysOfOneNameShareTheWorkWithoutDuplicates() {
    reserve(1, 400);
    take("twin", 150);
    relay("twin", books.ledger().sink());
    relay("twin", books.ledger().sink());
    reserve(401, 400);

    eventually("all written", () -> orders() == 800 && pending() == 0);
    assertThat(books.totals(sale)).isEqualTo("100000/800/0");
  }

  @Test
  void nothingIsAcknowledgedOrLostWhileTheSinkIsUnavailable() {
    AtomicBoolean away = new AtomicBoolean(true);
    AtomicInteger refused = new AtomicInteger();
    reserve(1, 150);
    OutboxRelay relay =
        relay(
            "a",
            (stream, entries) -> {
              if (away.get()) {
                refused.incrementAndGet();
                throw new ServiceUnavailable("away", Duration.ZERO);
              }
              books.ledger().sink().apply(stream, entries);
            });
    eventually("tried more often than an entry at fault", () -> refused.get() > 6);
    assertThat(pending()).isEqualTo(100);
    eventually("told", () -> !relay.status().working() && relay.status().lag() == 150);
    away.set(false);

    eventually("all written", () -> orders() == 150 && pending() == 0);
    assertThat(letters()).isZero();
  }

  @Test
  void entriesReadByAStoppedRelayAreDeliveredByTheNext() {
    CountDownLatch reached = new CountDownLatch(1);
    reserve(1, 20);
    OutboxRelay stuck =
        relay(
            "a",
            (_, _) -> {
              reached.countDown();
              throw new ServiceUnavailable("away", Duration.ZERO);
            });
    eventually("read", () -> reached.getCount() == 0);
    stuck.close();
    assertThat(pending()).isEqualTo(20);
    relay("a", books.ledger().sink());

    eventually("all written", () -> orders() == 20 && pending() == 0);
  }

  @Test
  void aNewSaleIsRelayedImmediately() {
    List<OutboxStream> streams = new CopyOnWriteArrayList<>();
    start(
        new OutboxRelay(
            redis,
            "a",
            () -> streams,
            books.ledger().sink(),
            books.ledger().deadLetters(),
            QUICK,
            Clock.systemUTC()));
    reserve(1, 5);
    streams.add(sale);

    eventually("written", () -> orders() == 5 && pending() == 0);
  }

  @Test
  void aLostStreamIsReadFromItsBeginning() {
    relay("a", books.ledger().sink());
    reserve(1, 5);
    eventually("written", () -> orders() == 5 && pending() == 0);
    send("DEL", sale.key());
    history.nextEpoch();
    reserve(6, 5);

    eventually("written", () -> orders() == 10 && pending() == 0);
  }
}
