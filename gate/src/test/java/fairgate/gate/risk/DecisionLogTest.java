package fairgate.gate.risk;

import static fairgate.gate.risk.RiskFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.gate.challenge.GateFixture;
import fairgate.gate.risk.RiskEngine.Assessment;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.FreshDatabase;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The decision log on a real PostgreSQL.
class DecisionLogTest {
  private static final FreshDatabase BOOKS = new FreshDatabase(TestEngines.shared());
  private static final CompiledBundle BUNDLE =
      RiskFixture.bundle(
          rule("points", "quantity > 0", 60),
          rule("minus", "signed_in", -5),
          rule("quiet", "true", 1, "\"shadow\": true"));

  private static final String ACCOUNT = "acc_AAAAAAAAAAAAAAAAAAAAAA";

  private final GateFixture fixture = new GateFixture();
  private final Metrics metrics = new Metrics();
  private final PostgresDecisions store = new PostgresDecisions(BOOKS.database());

  @BeforeEach
  void empty() {
    var _ = BOOKS.database().tx(db -> db.update("DELETE FROM risk_decisions"));
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  @AfterAll
  static void closeBooks() {
    BOOKS.close();
  }

  private RiskDecision decision(String id, String sale, String device) {
    Features features = RiskFixture.features("quantity", 2, "signed_in", true, "country", "TW");
    Assessment assessment = RiskEngine.assess(BUNDLE, features);
    return new RiskDecision(
        id,
        System.currentTimeMillis(),
        RiskRoute.JOIN,
        sale,
        () -> new Subjects.Hashes("subject", device, "network"),
        features,
        assessment,
        PublicReason.NETWORK,
        List.of(Remedy.OTHER_NETWORK, Remedy.APPEAL),
        List.of(assessment),
        true,
        false,
        12);
  }

  private DecisionWriter writer(int most) {
    return new DecisionWriter(store, most, metrics);
  }

  @Test
  void aDecisionIsWrittenCompletelyAndCanBeReplayed() {
    try (DecisionWriter writer = writer(10)) {
      writer.start();
      writer.know(BUNDLE.bundle());
      writer.record(decision("one", "7", "device"));
    }
    Row row =
        BOOKS.query("SELECT * FROM risk_decisions JOIN risk_bundles ON bundle = sha256").getFirst();
    assertThat(row.getString("route")).isEqualTo("join");
    assertThat(row.getInteger("score")).isEqualTo(55);
    assertThat(row.getString("band")).isEqualTo("high");
    assertThat(row.getString("action")).isEqualTo("seat_behind");
    assertThat(row.getArrayOfStrings("reasons")).containsExactly("points:60", "minus:-5");
    assertThat(row.getString("told_reason")).isEqualTo("network");
    assertThat(row.getArrayOfStrings("told_help")).containsExactly("other_network", "appeal");
    assertThat(row.getArrayOfStrings("shadow")).containsExactly("quiet");
    assertThat(row.getArrayOfStrings("shadows")).containsExactly(BUNDLE.hash() + ":55:seat_behind");
    assertThat(row.getInteger("latency_us")).isEqualTo(12);
    Features stored = Features.decode(((Buffer) row.getValue("features")).getBytes());
    CompiledBundle again = RiskFixture.compile(row.getString("json"));
    assertThat(RiskEngine.assess(again, stored))
        .isEqualTo(decision("x", "7", "device").assessment());
  }

  @Test
  void manyDecisionsAreWrittenInBatchesAndNoneTwice() {
    try (DecisionWriter writer = writer(5_000)) {
      writer.know(BUNDLE.bundle());
      IntStream.range(0, 2_500)
          .forEach(i -> writer.record(decision("id" + i % 2_400, "7", "device")));
      writer.start();
    }
    assertThat(BOOKS.number("SELECT count(*) FROM risk_decisions")).isEqualTo(2_400);
  }

  @Test
  void decisionsThatDoNotFitAreDroppedAndCounted() {
    DecisionWriter writer = writer(10);
    IntStream.range(0, 25).forEach(i -> writer.record(decision("id" + i, "7", "device")));
    assertThat(writer.dropped()).isEqualTo(15);
    assertThat(metrics.scrape())
        .contains("fairgate_risk_log_dropped 15.0")
        .contains("fairgate_risk_log_waiting 10.0");
    writer.close();
  }

  @Test
  void oldDecisionsAreDeletedWithTheirOutcomes() {
    store.write(List.of(decision("old", "7", "d"), decision("new", "7", "d")), documents());
    var _ =
        BOOKS
            .database()
            .tx(
                db -> {
                  db.update(
                      "UPDATE risk_decisions SET at = now() - interval '31 days' WHERE id = 'old'");
                  return db.update("INSERT INTO risk_outcomes VALUES ('old', 'paid', now())");
                });
    assertThat(store.deleteOlder(Duration.ofDays(30))).isEqualTo(1);
    assertThat(BOOKS.number("SELECT count(*) FROM risk_decisions")).isEqualTo(1);
    assertThat(BOOKS.number("SELECT count(*) FROM risk_outcomes")).isZero();
  }

  private static java.util.Map<String, String> documents() {
    return java.util.Map.of(BUNDLE.hash(), BUNDLE.bundle().json());
  }

  @Test
  void decisionsGetTheOutcomesOfTheOrdersOfTheirDevice() {
    String sale = "101";
    store.write(
        List.of(
            decision("pays", sale, "one"),
            decision("forgets", sale, "two"),
            decision("elsewhere", "999", "one")),
        documents());
    order(sale, "order1", "one", "paid", "now()");
    order(sale, "order2", "two", "expired", "NULL");
    assertThat(outcomes()).containsExactly("forgets unpaid", "pays paid");
    change("UPDATE orders SET status = 'refunded' WHERE order_id = 'order1'");
    assertThat(outcomes()).containsExactly("forgets unpaid", "pays paid", "pays refunded");
    change("INSERT INTO risk_outcomes VALUES ('forgets', 'appeal_won', now())");
    assertThat(outcomes())
        .containsExactly("forgets appeal_won", "forgets unpaid", "pays paid", "pays refunded");
  }

  private static List<String> outcomes() {
    return BOOKS.query("SELECT decision, kind FROM decision_outcomes ORDER BY 1, 2").stream()
        .map(row -> row.getString(0) + " " + row.getString(1))
        .toList();
  }

  private static void order(String sale, String id, String device, String status, String paidAt) {
    change(
        """
        INSERT INTO orders (platform, order_id, product_id, user_id, device, status, paid_at)
        VALUES ('fairgate', '%s', '%s', '%s', '%s', '%s', %s)
        """
            .formatted(id, sale, device.equals("one") ? device : "acc_1", device, status, paidAt));
  }

  @Test
  void aBuyersHistoryIsReadForManyAccountsAtOnce() {
    Subjects subjects = new Subjects(fixture.keys);
    account();
    store.write(List.of(of(subjects.ofAccount(ACCOUNT))), documents());
    change(
        "INSERT INTO risk_outcomes (decision, kind, at, subject)"
            + " SELECT id, 'appeal_won', now(), subject FROM risk_decisions WHERE id = 'appealed'");
    List<OwnHistory.History> histories =
        new PostgresHistory(BOOKS.database())
            .read(
                List.of(
                    new OwnHistory.Asked("acc_unknown", "x"),
                    new OwnHistory.Asked(ACCOUNT, subjects.ofAccount(ACCOUNT))))
            .await();
    assertThat(histories)
        .containsExactly(
            OwnHistory.History.UNKNOWN,
            new OwnHistory.History(50, false, true, false, false, 1, 1, 1, 1, 1, 0));
  }

  /// An account of 50 hours with a telephone, four orders, and one of a free product.
  private static void account() {
    change(
        """
        INSERT INTO accounts (id, username, name_key, created_at)
        VALUES ('acc_AAAAAAAAAAAAAAAAAAAAAA', 'a', 'a', now() - interval '50 hours')
        """);
    change(
        """
        INSERT INTO account_identities (kind, event, hash, account_id, hint, verified_at)
        VALUES ('phone', '', 'h', 'acc_AAAAAAAAAAAAAAAAAAAAAA', '1', now())
        """);
    change(
        """
        INSERT INTO orders (platform, order_id, product_id, user_id, status)
        SELECT 'fairgate', 'h' || s, '7', 'acc_AAAAAAAAAAAAAAAAAAAAAA', s
        FROM unnest(ARRAY['paid', 'expired', 'cancelled', 'refunded']) AS t (s)
        """);
    change(
        """
        INSERT INTO orders (platform, order_id, product_id, user_id, status, amount)
        VALUES ('fairgate', 'free', '7', 'acc_AAAAAAAAAAAAAAAAAAAAAA', 'paid', 0)
        """);
  }

  private RiskDecision of(String subject) {
    RiskDecision like = decision("appealed", "7", "d");
    return new RiskDecision(
        like.id(),
        like.atMillis(),
        like.route(),
        like.sale(),
        () -> new Subjects.Hashes(subject, null, "network"),
        like.features(),
        like.assessment(),
        null,
        List.of(),
        List.of(),
        true,
        false,
        1);
  }

  private static void change(String sql) {
    var _ = BOOKS.database().tx(db -> db.update(sql));
  }
}
