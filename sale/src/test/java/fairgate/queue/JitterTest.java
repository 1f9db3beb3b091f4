package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleScripts;
import fairgate.SaleWorld;
import fairgate.kernel.Audit;
import fairgate.kernel.SessionId;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisReply;
import fairgate.queue.QueueScripts.IssuePassScript;
import fairgate.queue.QueueScripts.StatusScript;
import fairgate.testkit.Eventually;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/// Turns that are given out together begin at random moments, in `admit.lua`, `status.lua`,
/// `issue_pass.lua` and `purchase.lua`.
final class JitterTest {
  private static final String WIDE = "capacity 250 slots 250 max_user 0 ";

  private static List<Buyer> joined(SaleWorld sale, int count) {
    List<Buyer> all = sale.buyers(count);
    assertThat(sale.join(all)).allMatch(reply -> reply.startsWith("JOINED"));
    return all;
  }

  private static AdmitScript.Pass admit(SaleWorld sale) {
    return new AdmitScript(sale.redis()).run(sale.keys(), 250).await();
  }

  private static Place place(SaleWorld sale, Buyer buyer) {
    return new StatusScript(sale.redis()).run(buyer.session()).await().orElseThrow();
  }

  private static void begin(SaleWorld sale, Buyer buyer, long at) {
    String session = sale.keys().session(buyer.session());
    sale.sent("HSET", session, "purchase_ready_at", Long.toString(at));
  }

  private static long millis(RedisReply time) {
    return Long.parseLong(time.textAt(0)) * 1_000 + Long.parseLong(time.textAt(1)) / 1_000;
  }

  /// The moments of the turns, in the order of admission, ms after the pass.
  private static List<Long> moments(SaleWorld sale, int count) {
    List<Buyer> all = joined(sale, count);
    AdmitScript.Pass pass = admit(sale);
    assertThat(pass.ready()).isEqualTo(all.stream().map(Buyer::session).toList());
    return pass.delays();
  }

  @Test
  void turnsOfOneRunBeginAllOverTheJitterWhoeverArrivedFirst() {
    List<Long> moments = moments(SaleWorld.open(250, WIDE + "jitter_ms 100"), 100);
    assertThat(moments).allMatch(ms -> ms >= 0 && ms <= 100);
    assertThat(moments).isNotEqualTo(moments.stream().sorted().toList());
    Map<Long, Integer> tenths = new HashMap<>();
    moments.forEach(ms -> tenths.merge(Math.min(9, ms / 10), 1, Integer::sum));
    // Ten turns are expected in each tenth; 35 or none in one have a chance below 1 in 3,000.
    assertThat(tenths).hasSize(10).allSatisfy((_, turns) -> assertThat(turns).isLessThan(35));
    assertThat(moments(SaleWorld.open(250, WIDE + "jitter_ms 100"), 100)).isNotEqualTo(moments);
  }

  @Test
  void everyTurnHasAWholeWindowFromItsMoment() {
    SaleWorld sale = SaleWorld.open(250, WIDE + "jitter_ms 10000 window_ms 30000");
    List<Buyer> all = joined(sale, 20);
    long before = sale.now();
    AdmitScript.Pass pass = admit(sale);
    for (int i = 0; i < all.size(); i++) {
      long begins = Long.parseLong(sale.session(all.get(i), "purchase_ready_at"));
      assertThat(begins - pass.delays().get(i)).isBetween(before, sale.now());
      String ends = Long.toString(begins + 30_000);
      assertThat(sale.session(all.get(i), "purchase_timeout_at")).isEqualTo(ends);
      String lock = "purchase:lock:" + all.get(i).session().value();
      assertThat(sale.send("PEXPIRETIME", lock).number())
          .isBetween(begins + 29_990, begins + 30_010);
    }
  }

  /// Everybody was silent for longer than both timeouts. Time before the own moment is none in
  /// which somebody had to show up, and the order of arrival stays.
  @Test
  void nobodyIsAbsentBeforeTheOwnMoment() {
    SaleWorld sale = SaleWorld.open(9, WIDE + "jitter_ms 10000 show_up_ms 20000 presence_ms 20000");
    List<Buyer> all = joined(sale, 2);
    assertThat(admit(sale).ready()).hasSize(2);
    for (Buyer buyer : all) {
      sale.lastSeen(buyer, Duration.ofSeconds(45));
    }
    begin(sale, all.getFirst(), sale.now() - 15_000);
    begin(sale, all.getLast(), sale.now() + 5_000);
    assertThat(sale.join(sale.buyer())).containsExactly("JOINED 0");
    sale.reachableFor(Duration.ofHours(1));
    sale.sent("HSET", sale.keys().sale(), "steady_since", "0");
    assertThat(sale.scripts().expire(10).await().absent()).isZero();
    assertThat(sale.send("ZRANGE", sale.keys().active(), "0", "-1").texts())
        .isEqualTo(all.stream().map(buyer -> buyer.session().value()).toList());
    begin(sale, all.getFirst(), sale.now() - 21_000);
    assertThat(sale.scripts().expire(10).await().absent()).isOne();
  }

  @Test
  void nobodyMayBuyBeforeTheOwnMomentAndWhoAsksIsToldIt() {
    SaleWorld sale = SaleWorld.open(9, WIDE + "jitter_ms 10000 token 1 token_ttl_ms 60000");
    Buyer buyer = joined(sale, 2).getFirst();
    assertThat(admit(sale).ready()).hasSize(2);
    begin(sale, buyer, sale.now() + 9_000);
    Place early = place(sale, buyer);
    assertThat(early.status()).isEqualTo(Place.Status.ACTIVE);
    assertThat(early.ahead()).isZero();
    assertThat(early.readyAt() - early.now()).isBetween(1L, 9_000L);
    IssuePassScript passes = new IssuePassScript(sale.redis());
    assertThat(passes.run(sale.keys(), early, "early").await()).isEmpty();
    assertThat(sale.buy(buyer)).isEqualTo("NOT_READY");
    assertThat(place(sale, buyer).readyAt()).isEqualTo(early.readyAt());

    begin(sale, buyer, sale.now());
    Place ready = place(sale, buyer);
    assertThat(ready.status()).isEqualTo(Place.Status.READY_TO_PURCHASE);
    long expiry = passes.run(sale.keys(), ready, "token").await().orElseThrow().expiresAt();
    SaleScripts.Buy buy = new SaleScripts.Buy(buyer, sale.order(buyer), 1);
    assertThat(
            sale.scripts().purchase(List.of(buy.withToken("token", expiry, "1"))).await().textAt(0))
        .startsWith("RESERVED");
  }

  @Test
  void aTurnThatIsGivenOutAloneBeginsAtOnce() {
    SaleWorld sale = SaleWorld.open(9, "slots 1 jitter_ms 10000");
    List<Buyer> all = joined(sale, 3);
    assertThat(admit(sale).delays()).containsExactly(0L);
    assertThat(sale.buy(all.getFirst())).startsWith("RESERVED");
  }

  @Test
  void afterTheClockSteppedBackOrTheJitterWasShortenedNobodyWaits() {
    SaleWorld sale = SaleWorld.open(9, WIDE + "jitter_ms 100");
    List<Buyer> all = joined(sale, 2);
    assertThat(admit(sale).ready()).hasSize(2);
    begin(sale, all.getFirst(), sale.now() + 60_000);
    assertThat(place(sale, all.getFirst()).status()).isEqualTo(Place.Status.READY_TO_PURCHASE);
    assertThat(sale.buy(all.getFirst())).startsWith("RESERVED");
  }

  /// Streams and messages of LINE tell of a turn once it can be used.
  @Test
  void listenersLearnOfEachTurnWhenItBegins() {
    SaleWorld sale = SaleWorld.open(250, WIDE + "jitter_ms 300");
    List<Buyer> all = joined(sale, 100);
    Map<SessionId, Long> told = new ConcurrentHashMap<>();
    Vertx vertx = Vertx.vertx();
    try (QueueLoop loop =
        new QueueLoop(
            vertx,
            QueueScripts.on(sale.redis()),
            QueueFeature.Config.defaults(),
            List::of,
            new QueueMeters(new Metrics()),
            new QueueAudit(Audit.none()))) {
      List<SessionId> early = new ArrayList<>();
      loop.onReady(
          sessions ->
              sessions.forEach(
                  session ->
                      sale.redis()
                          .send("TIME")
                          .onSuccess(time -> told.put(session, millis(time)))));
      loop.soon(sale.product());
      Eventually.await("all are told", () -> told.size() == all.size());
      for (Buyer buyer : all) {
        long begins = Long.parseLong(sale.session(buyer, "purchase_ready_at"));
        if (told.getOrDefault(buyer.session(), 0L) < begins) {
          early.add(buyer.session());
        }
      }
      assertThat(early).isEmpty();
    } finally {
      vertx.close().await();
    }
  }
}
