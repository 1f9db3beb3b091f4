package fairgate.standby;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestEngines;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.platform.run.BlockingWork;
import fairgate.queue.QueueService.Seating;
import fairgate.queue.Seat;
import fairgate.sale.ledger.LedgerFixture;
import fairgate.standby.PostgresStandby.Added;
import fairgate.standby.PostgresStandby.Limits;
import fairgate.standby.StandbyEntry.State;
import fairgate.testkit.Eventually;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class PostgresStandbyTest {
  private static final Limits WIDE = new Limits(1_000, 0, 0);
  private static final String SELL_BY =
      """
      UPDATE sale_policies SET policy = jsonb_set(policy, '{pre_queue}', to_jsonb($2::text))
      WHERE product_id = $1 RETURNING 1
      """;
  private static final String WAITING_FOR_LOCK =
      """
      SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'
      """;
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
        "stb_" + UUID.randomUUID(),
        product,
        device,
        user,
        session(),
        1,
        State.WAITING,
        null,
        null,
        Seat.IN_ORDER,
        null,
        null);
  }

  private Added add(StandbyEntry entry) {
    return entries.add(entry, List.of(), WIDE, _ -> Seating.IN_ORDER);
  }

  private Added add(String device, Limits limits, String... networks) {
    return entries.add(entry(device, device), List.of(networks), limits, _ -> Seating.IN_ORDER);
  }

  /// Registers a person who was seated by the decision `dec-` and the name of the device.
  private StandbyEntry seated(String device, Seat seat) {
    StandbyEntry entry = entry(device, device);
    Seating seating = new Seating(seat, decision(device));
    assertThat(entries.add(entry, List.of(), WIDE, _ -> seating)).isEqualTo(Added.ADDED);
    return entry;
  }

  private static String decision(String device) {
    return "dec-" + device;
  }

  private long ahead(String device) {
    return entries.ahead(entries.newest(product, device, device).orElseThrow().id());
  }

  /// Reserves the units of the first person; returns the device.
  private String offer() {
    StandbyEntry next = first();
    assertThat(entries.begin(next, session(), LEASE)).isTrue();
    entries.refused(next, "offered in this test");
    return next.device();
  }

  private StandbyEntry first() {
    return entries.first(product).orElseThrow();
  }

  @Test
  void aPersonIsOnTheListOnceInWhateverBrowser() {
    assertThat(add(entry("one", "acc_1"))).isEqualTo(Added.ADDED);
    assertThat(add(entry("two", "acc_1"))).isEqualTo(Added.ALREADY);
    assertThat(add(entry("one", "acc_2"))).isEqualTo(Added.ALREADY);
    assertThat(entries.withdraw(product, "acc_1", "another browser")).isTrue();
    assertThat(entries.withdraw(product, "acc_1", "another browser")).isFalse();
    assertThat(add(entry("one", "acc_1"))).isEqualTo(Added.ADDED);
  }

  @Test
  void theQueueIsToldOfAllRegistrationsOrOfSomeAtEqualDistances() {
    assertThat(entries.registrations(product).people()).isZero();
    var _ = seated("behind", Seat.BEHIND);
    var _ = seated("held", Seat.HELD);
    IntStream.range(0, 3).forEach(i -> add(entry("d" + i, "d" + i)));
    assertThat(entries.registrations(product).people()).isEqualTo(4);
    assertThat(entries.registrations(product).some())
        .extracting(it -> it.seat())
        .containsExactly(Seat.IN_ORDER, Seat.IN_ORDER, Seat.IN_ORDER, Seat.BEHIND);
    IntStream.range(3, 60).forEach(i -> add(entry("d" + i, "d" + i)));
    assertThat(entries.registrations(product).people()).isEqualTo(61);
    assertThat(entries.registrations(product).some())
        .hasSize(31)
        .last()
        .extracting(it -> it.seat())
        .isEqualTo(Seat.BEHIND);
  }

  private void sellBy(String preQueue) {
    assertThat(books.query(SELL_BY, product.value(), preQueue)).hasSize(1);
  }

  /// A draw promises all units that are free when it is announced.
  @Test
  void aSaleThatSellsByADrawBeginsNoOffer() {
    add(entry("one", "one"));
    sellBy("draw");
    assertThat(entries.begin(first(), session(), LEASE)).isFalse();
    sellBy("none");
    assertThat(entries.begin(first(), session(), NO_PAUSE)).isTrue();
    sellBy("draw");
    assertThat(entries.begin(first(), null, LEASE)).as("an offer that has begun goes on").isTrue();
  }

  @Test
  void anOfferThatAChangeToADrawOvertakesDoesNotBegin() {
    add(entry("one", "one"));
    StandbyEntry first = first();
    Future<Boolean> begun =
        books
            .database()
            .tx(
                db -> {
                  // As the catalog locks and writes.
                  var _ =
                      db.query("SELECT 1 FROM products WHERE id = $1 FOR UPDATE", product.value());
                  Future<Boolean> begin =
                      BlockingWork.call("begin", () -> entries.begin(first, session(), LEASE));
                  Eventually.await(
                      "the offer waits for the lock",
                      () -> !books.query(WAITING_FOR_LOCK).isEmpty());
                  assertThat(db.query(SELL_BY, product.value(), "draw")).hasSize(1);
                  return begin;
                });
    assertThat(begun.await()).isFalse();
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

  @Test
  void peopleSeatedBehindAreBehindAllOthersAlsoThoseWhoRegisterLater() {
    var _ = seated("risky", Seat.BEHIND);
    var _ = seated("held", Seat.HELD);
    var _ = seated("risky later", Seat.BEHIND);
    assertThat(add("one", WIDE)).isEqualTo(Added.ADDED);
    assertThat(add("two", WIDE)).isEqualTo(Added.ADDED);
    assertThat(List.of(ahead("one"), ahead("two"), ahead("risky"), ahead("risky later")))
        .containsExactly(0L, 1L, 2L, 3L);
    assertThat(ahead("held")).isEqualTo(4);
    assertThat(List.of(offer(), offer(), offer(), offer()))
        .containsExactly("one", "two", "risky", "risky later");
    assertThat(entries.first(product)).as("waits for a review").isEmpty();
  }

  @Test
  void anOfferToAPersonBehindDoesNotBeginWhileOthersWait() {
    StandbyEntry risky = seated("risky", Seat.BEHIND);
    assertThat(first().id()).isEqualTo(risky.id());
    // Another person registers between the look at the list and the try.
    assertThat(add("one", WIDE)).isEqualTo(Added.ADDED);
    assertThat(entries.begin(risky, session(), LEASE)).isFalse();
    assertThat(entries.begin(seated("held", Seat.HELD), session(), LEASE)).isFalse();
    assertThat(offer()).isEqualTo("one");
    assertThat(offer()).isEqualTo("risky");
  }

  @Test
  void aReviewMovesAPersonToThePlaceOfTheRegistration() {
    var _ = seated("risky", Seat.BEHIND);
    assertThat(add("one", WIDE)).isEqualTo(Added.ADDED);
    var _ = seated("held", Seat.HELD);
    assertThat(reseat("risky", Seat.IN_ORDER)).isEqualTo(Seat.Move.MOVED);
    assertThat(reseat("risky", Seat.IN_ORDER)).as("a repeat").isEqualTo(Seat.Move.SAME);
    assertThat(reseat("nobody", Seat.IN_ORDER)).isEqualTo(Seat.Move.NONE);
    assertThat(reseat("held", Seat.BEHIND)).isEqualTo(Seat.Move.MOVED);
    assertThat(List.of(offer(), offer(), offer())).containsExactly("risky", "one", "held");
    assertThat(reseat("risky", Seat.BEHIND))
        .as("it is not on the list any more")
        .isEqualTo(Seat.Move.NONE);
  }

  private Seat.Move reseat(String name, Seat seat) {
    return entries.reseat(product, decision(name), seat);
  }

  /// The appeal is granted while its person registers.
  @Test
  void aReviewWaitsForARegistrationUnderWay() {
    CompletableFuture<Seat.Move> moved = new CompletableFuture<>();
    Added added =
        entries.add(
            entry("risky", "risky"),
            List.of(),
            WIDE,
            _ -> {
              Thread _ =
                  BlockingWork.start(
                      "review", () -> moved.complete(reseat("risky", Seat.IN_ORDER)));
              Eventually.await("the review waits", () -> moved.isDone() || isWaiting());
              return new Seating(Seat.BEHIND, decision("risky"));
            });
    assertThat(added).isEqualTo(Added.ADDED);
    assertThat(moved.join()).isEqualTo(Seat.Move.MOVED);
    assertThat(first().seat()).isEqualTo(Seat.IN_ORDER);
  }

  /// The queue is told that nobody is on the list while somebody registers.
  @Test
  void aChangeForAnEmptyListWaitsForARegistrationUnderWay() {
    assertThat(entries.ifNobody(product, () -> {})).isTrue();
    CompletableFuture<Boolean> changed = new CompletableFuture<>();
    Added added =
        entries.add(
            entry("one", "one"),
            List.of(),
            WIDE,
            _ -> {
              Thread _ =
                  BlockingWork.start(
                      "change", () -> changed.complete(entries.ifNobody(product, () -> {})));
              Eventually.await("the change waits", () -> changed.isDone() || isWaiting());
              return Seating.IN_ORDER;
            });
    assertThat(added).isEqualTo(Added.ADDED);
    assertThat(changed.join()).isFalse();
  }

  private boolean isWaiting() {
    return !books
        .database()
        .reading(
            db ->
                db.query(
                    "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database ="
                        + " (SELECT oid FROM pg_database WHERE datname = current_database())"))
        .isEmpty();
  }

  @Test
  void aDepartureThatFailsLeavesNoEntry() {
    assertThatThrownBy(
            () ->
                entries.add(
                    entry("one", "one"),
                    List.of(),
                    WIDE,
                    _ -> {
                      throw new ServiceUnavailable("Redis is away", LEASE);
                    }))
        .isInstanceOf(ServiceUnavailable.class);
    assertThat(entries.first(product)).isEmpty();
  }
}
