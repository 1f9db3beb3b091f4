package fairgate.standby;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.run.BlockingWork;
import fairgate.sale.ledger.LedgerFixture;
import fairgate.standby.PostgresStandby.Added;
import fairgate.standby.PostgresStandby.Limits;
import fairgate.standby.StandbyEntry.State;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PostgresStandbyTest {
  private static final Limits WIDE = new Limits(1_000, 0, 0);
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final Duration NO_PAUSE = Duration.ZERO;

  private final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  private final ProductId product = books.sale(10).product();
  private final PostgresStandby entries = new PostgresStandby(books.database());

  @AfterEach
  void close() {
    books.close();
  }

  private static SessionId session() {
    return new SessionId(UUID.randomUUID().toString());
  }

  private StandbyEntry entry(String device, String user) {
    return new StandbyEntry(
        "stb_" + UUID.randomUUID(), product, device, user, session(), 1, State.WAITING, null, null);
  }

  private Added add(String device, Limits limits, String... networks) {
    return entries.add(entry(device, device), List.of(networks), limits);
  }

  private StandbyEntry first() {
    return entries.first(product).orElseThrow();
  }

  @Test
  void aPersonIsOnTheListOnceInWhateverBrowser() {
    assertThat(entries.add(entry("one", "acc_1"), List.of(), WIDE)).isEqualTo(Added.ADDED);
    assertThat(entries.add(entry("two", "acc_1"), List.of(), WIDE)).isEqualTo(Added.ALREADY);
    assertThat(entries.add(entry("one", "acc_2"), List.of(), WIDE)).isEqualTo(Added.ALREADY);
    assertThat(entries.withdraw(product, "acc_1", "another browser")).isTrue();
    assertThat(entries.withdraw(product, "acc_1", "another browser")).isFalse();
    assertThat(entries.add(entry("one", "acc_1"), List.of(), WIDE)).isEqualTo(Added.ADDED);
  }

  @Test
  void aListAndANetworkHaveTheirLimitsAlsoUnderConcurrency() {
    ConcurrentLinkedQueue<Added> outcomes = new ConcurrentLinkedQueue<>();
    Limits limits = new Limits(20, 3, 5);
    BlockingWork.forEach(
        "register",
        IntStream.range(0, 12).boxed().toList(),
        i -> outcomes.add(add("device " + i, limits, "address", "network")));
    assertThat(outcomes).filteredOn(Added.ADDED::equals).hasSize(3);
    assertThat(outcomes).filteredOn(Added.NETWORK::equals).hasSize(9);
    assertThat(add("other 1", limits, "other address", "network")).isEqualTo(Added.ADDED);
    assertThat(add("other 2", limits, "other address", "network")).isEqualTo(Added.ADDED);
    assertThat(add("other 3", limits, "third address", "network")).isEqualTo(Added.NETWORK);
    assertThat(add("last", new Limits(5, 0, 0))).isEqualTo(Added.FULL);
  }

  @Test
  void oneEntryOfASaleIsOfferedAtATimeByOneNode() {
    assertThat(add("one", WIDE)).isEqualTo(Added.ADDED);
    assertThat(add("two", WIDE)).isEqualTo(Added.ADDED);
    StandbyEntry one = first();
    ConcurrentLinkedQueue<Boolean> begun = new ConcurrentLinkedQueue<>();
    BlockingWork.forEach(
        "begin",
        IntStream.range(0, 8).boxed().toList(),
        _ -> begun.add(entries.begin(one, session(), LEASE)));
    assertThat(begun).containsOnlyOnce(true).hasSize(8);
    StandbyEntry two = entries.newest(product, "two", "two").orElseThrow();
    assertThat(entries.begin(two, session(), LEASE)).isFalse();
    assertThat(entries.ahead(two.id())).isEqualTo(1);
    assertThat(entries.withdraw(product, "one", "one"))
        .as("its units are being reserved")
        .isFalse();
    StandbyEntry offered = first();
    assertThat(offered.id()).isEqualTo(one.id());
    assertThat(offered.state()).isEqualTo(State.OFFERING);
    entries.putBack(offered, session(), NO_PAUSE);
    assertThat(first().state()).as("another try").isEqualTo(State.OFFERING);
    entries.putBack(offered, Objects.requireNonNull(offered.offer()), NO_PAUSE);
    assertThat(first().id()).as("it keeps its place").isEqualTo(one.id());
    assertThat(first().state()).isEqualTo(State.WAITING);
  }
}
