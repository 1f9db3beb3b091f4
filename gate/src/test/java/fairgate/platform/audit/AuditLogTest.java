package fairgate.platform.audit;

import static fairgate.platform.audit.AuditWorld.ALICE;
import static fairgate.platform.audit.AuditWorld.SESSION;
import static fairgate.platform.audit.AuditWorld.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import fairgate.TestEngines;
import fairgate.kernel.AuditEvent;
import fairgate.kernel.AuditEvent.Kind;
import fairgate.kernel.BanSubject;
import fairgate.kernel.Caller;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.audit.EventBuffers.PendingEvent;
import fairgate.platform.postgres.PostgresRefusal;
import fairgate.testkit.Eventually;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class AuditLogTest {
  private final AuditWorld world = new AuditWorld(TestEngines.shared());

  @AfterEach
  void close() {
    world.close();
  }

  private long events() {
    return world.books.number("SELECT coalesce(sum(events), 0)::bigint FROM audit_log");
  }

  private long rows() {
    return world.books.number("SELECT count(*) FROM audit_log");
  }

  private static AuditLog.Query query(@Nullable Kind kind, Map<String, String> members) {
    return new AuditLog.Query(0, Long.MAX_VALUE / 1_000_000, kind, members, null, 1_000);
  }

  private static List<String> contents(List<AuditLog.Entry> entries) {
    return entries.stream().map(entry -> String.valueOf(entry.content())).toList();
  }

  @Test
  void notedEventsAreWrittenAndChained() {
    try (AuditLog log = world.open("one")) {
      for (int i = 0; i < 2_500; i++) {
        log.note(event(Kind.JOIN, "joined"));
      }
      log.record(event(Kind.ADMIN, "POST /api/admin/bans"));
      Eventually.await("all are written", () -> events() == 2_501);
    }
    AuditVerifier.Report report = world.verify();
    assertThat(report.problems()).isEmpty();
    assertThat(report.events()).isEqualTo(2_501);
    assertThat(report.days()).isEqualTo(1);
  }

  @Test
  void recordedEventsAreStoredWhenTheCallReturns() {
    try (AuditLog log = world.open("one")) {
      log.record(event(Kind.ADMIN, "POST /api/admin/bans"));
      assertThat(rows()).isEqualTo(1);
    }
  }

  @Test
  void closingWritesPendingEvents() {
    AuditLog log = world.open("one");
    for (int i = 0; i < 3_000; i++) {
      log.note(event(Kind.JOIN, "joined"));
    }
    log.close();
    assertThat(events()).isEqualTo(3_000);
    assertThat(rows()).as("50 joins share a row").isBetween(60L, 120L);
  }

  @Test
  void purchasesShareRowsAndEachIsFoundByItsOrder() {
    Instant before = Instant.now();
    try (AuditLog log = world.open("one")) {
      for (int i = 0; i < 120; i++) {
        log.note(new AuditEvent(Kind.PURCHASE, "paid", ALICE, Map.of("order", order(i).value())));
      }
      log.record(
          new AuditEvent(Kind.ADMIN, "POST refund", ALICE, Map.of("order", order(77).value())));
      Eventually.await("all are written", () -> events() == 121);
      assertThat(rows()).as("50 purchases share a row").isLessThan(40);
      assertThat(log.ofOrder(order(77), before.minusSeconds(60), 10))
          .extracting(AuditLog.Entry::kind)
          .containsExactly("admin", "purchase");
      assertThat(contents(log.ofOrder(order(119), before, 10)))
          .singleElement(STRING)
          .contains(order(119).value());
    }
  }

  private static OrderId order(int number) {
    return OrderId.of(new ProductId("7"), "%026d".formatted(number));
  }

  @Test
  void severalNodesWriteOneChain() throws InterruptedException {
    try (AuditLog one = world.open("one");
        AuditLog two = world.open("two")) {
      List<Thread> threads = new ArrayList<>();
      for (AuditLog log : List.of(one, two, one, two)) {
        threads.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      for (int i = 0; i < 60; i++) {
                        log.note(event(Kind.JOIN, "joined"));
                        if (i % 3 == 0) {
                          log.record(event(Kind.ADMIN, "act"));
                        }
                      }
                    }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      Eventually.await("all are written", () -> events() == 4 * 80);
    }
    assertThat(world.verify().problems()).isEmpty();
    assertThat(
            world.books.number(
                "SELECT count(DISTINCT content::json ->> 'node') FROM audit_log"
                    + " WHERE kind = 'admin'"))
        .isEqualTo(2);
  }

  @Test
  void personsAreFoundByTheirAttributesButNeverShown() {
    try (AuditLog log = world.open("one")) {
      log.record(event(Kind.PURCHASE, "reserved"));
      log.record(AuditEvent.of(Kind.JOIN, "joined", Caller.NONE));
      List<AuditLog.Entry> all = log.search(query(null, Map.of()));
      assertThat(all).extracting(AuditLog.Entry::kind).containsExactly("join", "purchase");
      assertThat(contents(all).toString())
          .doesNotContain("203.0.113")
          .doesNotContain(SESSION)
          .doesNotContain("alice")
          .doesNotContain(AuditWorld.DEVICE.value());
      for (Map.Entry<String, String> known :
          Map.of(
                  "ip", "203.0.113.9",
                  "network", "203.0.113.200",
                  "session", SESSION,
                  "account", "alice",
                  "device", BanSubject.deviceName(AuditWorld.DEVICE, world.keys),
                  "product", "7",
                  "what", "reserved")
              .entrySet()) {
        List<AuditLog.Entry> found =
            log.search(query(null, Map.of(known.getKey(), known.getValue())));
        assertThat(found).as(known.getKey()).hasSize(1);
      }
      assertThat(log.search(query(null, Map.of("ip", "203.0.113.8")))).isEmpty();
      assertThat(log.search(query(Kind.JOIN, Map.of("product", "7")))).isEmpty();
      assertThat(contents(all).get(1)).contains("\"ua\":\"Mozilla/5.0 \\\"Quoted\\\"\"");
    }
  }

  /// Text from a caller must not match the search for another member.
  @Test
  void aTextCannotImitateAnotherMember() {
    try (AuditLog log = world.open("one")) {
      Caller liar = new Caller(ALICE.address(), "x\",\"product\":\"9", null, null, null);
      log.record(AuditEvent.of(Kind.JOIN, "joined", liar));
      assertThat(log.search(query(null, Map.of("product", "9")))).isEmpty();
    }
  }

  @Test
  void pagesFollowEachOther() {
    try (AuditLog log = world.open("one")) {
      for (int i = 0; i < 5; i++) {
        log.record(event(Kind.JOIN, "n" + i));
      }
      List<AuditLog.Entry> first =
          log.search(new AuditLog.Query(0, Long.MAX_VALUE / 1_000_000, null, Map.of(), null, 3));
      assertThat(first).extracting(AuditLog.Entry::seq).containsExactly(5L, 4L, 3L);
      AuditLog.Entry last = first.getLast();
      List<AuditLog.Entry> second =
          log.search(
              new AuditLog.Query(
                  0,
                  Long.MAX_VALUE / 1_000_000,
                  null,
                  Map.of(),
                  new AuditLog.Query.Cursor(last.day(), last.seq()),
                  3));
      assertThat(second).extracting(AuditLog.Entry::seq).containsExactly(2L, 1L);
    }
  }

  /// The events of one flush, as its row has them.
  private void flushed(int number) {
    AuditLog log = world.open("one");
    for (int i = 0; i < number; i++) {
      log.note(
          new AuditEvent(Kind.JOIN, "n" + i, ALICE, Map.of("product", Integer.toString(i % 2))));
    }
    log.close();
  }

  @Test
  void eventsThatShareARowAreFoundEachByItself() {
    flushed(6);
    try (AuditLog log = world.open("two")) {
      List<AuditLog.Entry> all = log.search(query(Kind.JOIN, Map.of()));
      assertThat(all).extracting(AuditLog.Entry::seq).containsExactly(6L, 5L, 4L, 3L, 2L, 1L);
      assertThat(contents(all)).allMatch(content -> content.startsWith("{\"at\":"));
      assertThat(log.search(query(null, Map.of("product", "0"))))
          .extracting(AuditLog.Entry::seq)
          .containsExactly(5L, 3L, 1L);
      assertThat(log.search(query(null, Map.of("product", "0", "what", "n2")))).hasSize(1);
      assertThat(log.search(query(null, Map.of("product", "1", "what", "n2"))))
          .as("facts of two events of one row")
          .isEmpty();
      AuditLog.Query rest =
          new AuditLog.Query(
              0,
              Long.MAX_VALUE / 1_000_000,
              null,
              Map.of(),
              new AuditLog.Query.Cursor(all.get(2).day(), all.get(2).seq()),
              2);
      assertThat(log.search(rest)).extracting(AuditLog.Entry::seq).containsExactly(3L, 2L);
    }
  }

  @Test
  void joinsThatShareARowAreCounted() {
    flushed(6);
    try (AuditLog log = world.open("two")) {
      List<AuditTally.Line> lines =
          log.tally(
              new AuditTally(
                  0, Long.MAX_VALUE / 1_000_000, AuditTally.By.DEVICE, AuditTally.Sort.JOINS, 10));
      assertThat(lines).singleElement().matches(line -> line.joins() == 6);
    }
  }

  @Test
  void aCountHasTheNetworksAndTheMoneyOfItsPurchases() {
    try (AuditLog log = world.open("one")) {
      log.record(purchase("7", 2, 5_600));
      log.record(purchase("7", 1, 2_800));
      assertThat(ofDevice(log).orders()).isEqualTo(new AuditTally.Orders(3, 8_400, "7"));
      log.record(purchase("8", 1, 100));
      assertThat(ofDevice(log).orders().units()).isEqualTo(4);
      assertThat(ofDevice(log).orders().product()).as("of several sales").isNull();
      assertThat(ofDevice(log).networks()).isEqualTo(1);
      assertThat(ofDevice(log).network()).hasSize(22);
    }
  }

  private static AuditTally.Line ofDevice(AuditLog log) {
    AuditTally wanted =
        new AuditTally(
            0, Long.MAX_VALUE / 1_000_000, AuditTally.By.DEVICE, AuditTally.Sort.PURCHASES, 10);
    return log.tally(wanted).getFirst();
  }

  private static AuditEvent purchase(String product, int quantity, long amount) {
    return new AuditEvent(
        Kind.PURCHASE,
        "pending",
        event(Kind.JOIN, "joined").caller(),
        Map.of("product", product, "quantity", quantity, "amount", amount));
  }

  @Test
  void anEventCannotLeaveItsRowUnnoticed() {
    flushed(6);
    assertThat(world.verify().events()).isEqualTo(6);
    world.tamper("UPDATE audit_log SET events = events - 1");
    assertThat(world.verify().problems())
        .singleElement()
        .asString()
        .contains("event 1 was changed");
  }

  @Test
  void aRowIsNeverChangedOrDeleted() {
    try (AuditLog log = world.open("one")) {
      log.record(event(Kind.JOIN, "joined"));
    }
    for (String sql :
        List.of(
            "UPDATE audit_log SET content = '{}'",
            "UPDATE audit_log SET content = NULL, digest = 'x'",
            "UPDATE audit_log SET seq = 2",
            "DELETE FROM audit_log",
            "TRUNCATE audit_log")) {
      assertThatThrownBy(() -> world.books.database().tx(db -> db.update(sql)))
          .as(sql)
          .isInstanceOf(PostgresRefusal.class)
          .hasMessageContaining("append-only");
    }
  }

  @Test
  void aBatchSentTwiceIsWrittenOnce() {
    PostgresAudit store = new PostgresAudit(world.books.database(), world.keys);
    List<PostgresAudit.Draft> drafts = List.of(new PostgresAudit.Draft(1, "join", "{}", 1));
    for (long batch : new long[] {1, 1, 2, 2, 1, 3}) {
      assertThat(store.append("writer", batch, drafts)).isNull();
    }
    assertThat(rows()).isEqualTo(3);
    assertThat(world.verify().problems()).isEmpty();
  }

  @Test
  void eventsBeyondTheCapacityAreCountedAndReported() {
    EventBuffers rings = new EventBuffers(4);
    for (int i = 0; i < 10; i++) {
      rings.add(new PendingEvent(event(Kind.JOIN, "n" + i), i));
    }
    assertThat(rings.lost()).isEqualTo(6);
    List<PendingEvent> taken = new ArrayList<>();
    rings.drain(taken, 100);
    assertThat(taken)
        .extracting(noted -> noted.event().what())
        .containsExactly("n0", "n1", "n2", "n3");
    rings.add(new PendingEvent(event(Kind.JOIN, "again"), 11));
    rings.drain(taken, 100);
    assertThat(taken).hasSize(5);
  }

  @Test
  void aLossIsRecordedAsAnEvent() {
    try (AuditLog log =
        world.open("one", new AuditLog.Config(AuditLog.Config.defaults().days(), 64))) {
      var _ =
          world
              .books
              .database()
              .tx(
                  db -> {
                    var _ = db.query("SELECT pg_advisory_xact_lock(4701772)");
                    for (int i = 0; i < 5_000; i++) {
                      log.note(event(Kind.JOIN, "joined"));
                    }
                    assertThat(log.status().degraded()).isTrue();
                    return 1;
                  });
      Eventually.await(
          "the loss is written",
          () -> world.books.number("SELECT count(*) FROM audit_log WHERE kind = 'loss'") > 0);
    }
    long kept = world.books.number("SELECT sum(events)::bigint FROM audit_log WHERE kind = 'join'");
    long lost =
        world.books.number(
            "SELECT sum((content::json ->> 'events')::bigint)::bigint FROM audit_log"
                + " WHERE kind = 'loss'");
    assertThat(kept + lost).isEqualTo(5_000);
    assertThat(world.verify().problems()).isEmpty();
  }
}
