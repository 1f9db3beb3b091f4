package fairgate.platform.events;

import static fairgate.sale.ledger.LedgerFixture.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.sale.ledger.History;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Entries that cannot be booked, and trimming.
@Tag("slow")
final class OutboxUpkeepTest extends RelayWorld {
  @Test
  void aFaultyEntryIsParkedWithoutDelayingOthers() {
    reserve(1, 50);
    send("XADD", sale.key(), "*", "seq", "51", "epoch", "1", "kind", "nonsense");
    history.skip();
    reserve(51, 50);
    OutboxRelay relay = relay("a", books.ledger().sink());

    eventually("parked", () -> letters() == 1 && pending() == 0);
    assertThat(orders()).isEqualTo(100);
    eventually("told", () -> relay.status().deadLetters() >= 1 && relay.status().parked() == 1);
    String entry =
        books
            .query("SELECT entry::text FROM dead_letters WHERE product_id = $1", id())
            .getFirst()
            .getString(0);
    assertThat(entry).contains("nonsense");
    assertThat(gaps()).isEqualTo(1);
  }

  @Test
  void entriesBeyondTheReleasedUnitsAreParkedAndTheOthersBooked() {
    sale = books.sale(10);
    history = new History(sale.product());
    reserve(1, 12);
    relay("a", books.ledger().sink());

    eventually("parked", () -> letters() == 2 && pending() == 0);
    assertThat(books.totals(sale)).isEqualTo("10/10/0");
  }

  @Test
  void anEntryThatDependsOnAnotherIsRetried() {
    sale = books.sale(1);
    history = new History(sale.product());
    var first = history.reserve(1, 1);
    history.expire(first);
    history.reserve(2, 1);
    List<OutboxEntry> entries = history.entries();
    // As when two relays share a stream and the later entries arrive first.
    add(List.of(entries.get(2), entries.get(0), entries.get(1)));
    OutboxRelay.Settings single =
        new OutboxRelay.Settings(
            1, QUICK.block(), QUICK.claimIdle(), 5, QUICK.firstRetry(), 500, QUICK.trimEvery());
    start(
        new OutboxRelay(
            redis,
            "a",
            () -> List.of(sale),
            books.ledger().sink(),
            books.ledger().deadLetters(),
            single,
            Clock.systemUTC()));

    eventually("all written", () -> pending() == 0 && orders() == 2);
    assertThat(letters()).isZero();
    assertThat(books.totals(sale)).isEqualTo("1/1/0");
  }

  @Test
  void finishedEntriesBeyondTheMarginAreTrimmed() {
    relay("a", books.ledger().sink());
    reserve(1, 3_000);
    eventually("all written", () -> orders() == 3_000 && pending() == 0);

    eventually("trimmed", () -> number("XLEN", sale.key()) < 1_500);
    assertThat(number("XLEN", sale.key())).isGreaterThanOrEqualTo(500);
  }

  @Test
  void theStreamIsNeverTrimmedBeyondAPendingEntry() {
    reserve(1, 1);
    take("elsewhere", 1);
    OutboxRelay.Settings patient =
        new OutboxRelay.Settings(
            100,
            QUICK.block(),
            Duration.ofMinutes(5),
            5,
            QUICK.firstRetry(),
            500,
            QUICK.trimEvery());
    start(
        new OutboxRelay(
            redis,
            "a",
            () -> List.of(sale),
            books.ledger().sink(),
            books.ledger().deadLetters(),
            patient,
            Clock.systemUTC()));
    reserve(2, 2_000);
    eventually("all but one written", () -> orders() == 2_000);
    reserve(2_002, 1);
    eventually("and one more round", () -> orders() == 2_001);

    assertThat(number("XLEN", sale.key())).isEqualTo(2_002);
  }
}
