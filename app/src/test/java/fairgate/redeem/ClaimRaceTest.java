package fairgate.redeem;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.redeem.RedeemTestServer.Answer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Many devices at once, on three nodes with one database: each order gives one code.
@Tag("journey")
class ClaimRaceTest {
  private static final int DEVICES = 500;
  private static final List<RedeemTestServer> NODES = new ArrayList<>();

  @BeforeAll
  static void open() {
    PostgresAddress database = TestEngines.shared().freshDatabase();
    for (int i = 0; i < 3; i++) {
      NODES.add(RedeemTestServer.on(database, Map.of()));
    }
    node(0).product("basic", 30);
  }

  @AfterAll
  static void close() {
    NODES.forEach(RedeemTestServer::close);
  }

  private static RedeemTestServer node(int i) {
    return NODES.get(i % NODES.size());
  }

  /// All at once; how often each code, or 200, was answered.
  private static Map<String, Integer> race(int claims, IntFunction<Answer> claim)
      throws InterruptedException, ExecutionException {
    CountDownLatch go = new CountDownLatch(1);
    List<CompletableFuture<Answer>> answers = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < claims; i++) {
        int number = i;
        answers.add(
            CompletableFuture.supplyAsync(
                () -> {
                  await(go);
                  return claim.apply(number);
                },
                threads));
      }
      go.countDown();
      Map<String, Integer> counts = new TreeMap<>();
      for (CompletableFuture<Answer> answer : answers) {
        Answer one = answer.get();
        String what =
            one.status() == 200 ? "200" : one.status() + one.body().path("error").asText();
        counts.merge(what, 1, Integer::sum);
      }
      return counts;
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void fiveHundredDevicesOnOneOrderGiveOneCode() throws Exception {
    node(0).order("taobao", "TB20260108000000001", "basic", "paid");
    Map<String, Integer> answers =
        race(
            DEVICES,
            i -> node(i).claimUntilAccepted("TB20260108000000001", "basic", "device" + i, ""));
    assertThat(answers).isEqualTo(Map.of("200", 1, "400ORDER_ALREADY_CLAIMED", DEVICES - 1));
    assertThat(
            node(0)
                .value(
                    "SELECT count(*) FROM redemption_codes WHERE order_id = ?",
                    "TB20260108000000001"))
        .isEqualTo("1");
    assertThat(
            node(0)
                .value(
                    "SELECT count(*) FROM code_events e JOIN redemption_codes c ON c.id = e.code_id"
                        + " WHERE c.order_id = ?",
                    "TB20260108000000001"))
        .isEqualTo("1");
  }

  @Test
  void oneDeviceThatAsksManyTimesAtOnceGetsOneCode() throws Exception {
    node(0).order("taobao", "TB20260108000000002", "basic", "paid");
    String browser = node(0).browser();
    List<String> codes = new java.util.concurrent.CopyOnWriteArrayList<>();
    Map<String, Integer> answers =
        race(
            60,
            i -> {
              Answer answer =
                  node(i).claimUntilAccepted("TB20260108000000002", "basic", "mine", browser);
              codes.add(answer.code());
              return answer;
            });
    assertThat(answers).isEqualTo(Map.of("200", 60));
    assertThat(codes).hasSize(60).containsOnly(codes.getFirst());
  }

  @Test
  void manyOrdersAtOnceGiveEachItsOwn() throws Exception {
    for (int i = 0; i < 150; i++) {
      node(0).order("taobao", "TB30260108%06d".formatted(i), "basic", "paid");
    }
    Map<String, Integer> answers =
        race(
            300,
            i ->
                node(i)
                    .claimUntilAccepted(
                        "TB30260108%06d".formatted(i / 2), "basic", "device" + i, ""));
    assertThat(answers).isEqualTo(Map.of("200", 150, "400ORDER_ALREADY_CLAIMED", 150));
    assertThat(
            node(0)
                .value(
                    "SELECT count(DISTINCT code_hash) FROM redemption_codes"
                        + " WHERE order_id LIKE 'TB30260108%'"))
        .isEqualTo("150");
  }

  @Test
  void aRefundThatComesInBetweenIsSeenOrLeavesNothingUnnoticed() throws Exception {
    for (int i = 0; i < 40; i++) {
      node(0).order("taobao", "TB40260108%06d".formatted(i), "basic", "paid");
    }
    Map<String, Integer> answers =
        race(
            80,
            i -> {
              String order = "TB40260108%06d".formatted(i / 2);
              if (i % 2 == 0) {
                node(0)
                    .sql(
                        "UPDATE orders SET status = 'refunded', updated_at = now()"
                            + " WHERE order_id = ?",
                        order);
              }
              return node(i).claimUntilAccepted(order, "basic", "device" + i, "");
            });
    assertThat(answers.keySet()).isSubsetOf("200", "400ORDER_REVOKED", "400ORDER_ALREADY_CLAIMED");
    // What was claimed before its refund is withdrawn after it.
    node(0).sweep(InstantSource.system());
    // A node's own sweep may hold some of them.
    RedeemTestServer.eventually(
        () ->
            node(0)
                .sql(
                    "SELECT 1 FROM redemption_codes WHERE order_id LIKE 'TB40260108%'"
                        + " AND state <> 'revoked'")
                .isEmpty());
  }
}
