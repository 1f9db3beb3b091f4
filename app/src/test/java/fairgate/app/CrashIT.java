package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import fairgate.crowd.Answer;
import fairgate.crowd.ShopClient;
import fairgate.platform.http.Loops;
import fairgate.testkit.Eventually;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The server is killed during its work: every acknowledged result is durable.
@Tag("proof")
class CrashIT {
  private static final int BUYERS = 2_000;
  private static final int ANSWERED_BEFORE = 200;

  @Test
  void everyAcknowledgedPurchaseSurvivesAKillOnce(@TempDir Path data) throws Exception {
    Vertx vertx = Loops.vertx();
    Map<String, String> answered = new ConcurrentHashMap<>();
    List<String> sessions = sellAndKill(vertx, data, answered);
    assertThat(answered.size()).isBetween(ANSWERED_BEFORE, BUYERS);
    try (ServerProcess server = ServerProcess.up(data, Map.of());
        ShopClient shop = new ShopClient(vertx, "127.0.0.1", server.port(), 100, 20_000)) {
      awaitLedger(shop, answered.values());
      Map<String, String> orders = new HashMap<>();
      for (String session : sessions) {
        Answer again = buyAgain(shop, session);
        assertThat(again.ok()).as(again.toString()).isTrue();
        orders.put(session, again.text("order_id"));
      }
      assertThat(orders).containsAllEntriesOf(answered);
      assertThat(new HashSet<>(orders.values())).hasSize(BUYERS);
      awaitLedger(shop, orders.values());
      assertThat(ledger(shop)).containsExactlyInAnyOrderElementsOf(orders.values());
      JsonNode live =
          Eventually.get(
                  "the comparison with the ledger",
                  () -> admin(shop, "GET", "/products/9/live"),
                  answer -> answer.body().path("balanced").isBoolean())
              .body();
      assertThat(live.path("confirmed").asInt()).isEqualTo(BUYERS);
      assertThat(live.path("balanced").asBoolean()).isTrue();
    } finally {
      vertx.close().await(60, TimeUnit.SECONDS);
    }
  }

  /// Sends all purchases at once and kills the server when some have been answered.
  private static List<String> sellAndKill(Vertx vertx, Path data, Map<String, String> answered)
      throws Exception {
    try (ServerProcess server = ServerProcess.up(data, Map.of());
        ShopClient shop = new ShopClient(vertx, "127.0.0.1", server.port(), 500, 20_000)) {
      create(shop);
      List<String> sessions = join(shop);
      Answer _ =
          Eventually.get("the opening", () -> admin(shop, "POST", "/products/9/open"), Answer::ok);
      awaitReady(shop);
      CountDownLatch some = new CountDownLatch(ANSWERED_BEFORE);
      List<Future<Answer>> flying = new ArrayList<>();
      for (String session : sessions) {
        flying.add(
            buy(shop, session)
                .onSuccess(
                    answer -> {
                      if (answer.ok()) {
                        answered.put(session, answer.text("order_id"));
                        some.countDown();
                      }
                    }));
      }
      assertThat(some.await(60, TimeUnit.SECONDS)).isTrue();
      server.kill();
      for (Future<Answer> one : flying) {
        assertThat(await(one).status()).isIn(0, 200, 503);
      }
      return sessions;
    }
  }

  private static void create(ShopClient shop) throws TimeoutException {
    var policy =
        JsonNodeFactory.instance
            .objectNode()
            .put("preset", "queue")
            .put("active_capacity", 2 * BUYERS)
            .put("ready_slots", 2 * BUYERS);
    var product =
        JsonNodeFactory.instance
            .objectNode()
            .put("id", "9")
            .put("name", "Ticket")
            .put("image_url", "")
            .put("price", 100)
            .put("total_stock", 2 * BUYERS);
    product.set("policy", policy);
    Answer made = await(shop.admin("POST", "/api/admin/products", TestFairgate.OPERATOR, product));
    assertThat(made.status()).isEqualTo(201);
  }

  private static List<String> join(ShopClient shop) throws TimeoutException {
    List<Future<Answer>> joins = new ArrayList<>();
    for (int i = 0; i < BUYERS; i++) {
      joins.add(shop.join("9"));
    }
    List<String> sessions = new ArrayList<>();
    for (Future<Answer> one : joins) {
      Answer first = await(one);
      Answer answer =
          isSettled(first)
              ? first
              : Eventually.get("a place", () -> await(shop.join("9")), CrashIT::isSettled);
      assertThat(answer.ok()).as(answer.toString()).isTrue();
      sessions.add(answer.text("session_id"));
    }
    return sessions;
  }

  /// A join without an answer may have made a place of its own.
  private static void awaitReady(ShopClient shop) {
    Answer _ =
        Eventually.get(
            "all are ready",
            () -> admin(shop, "GET", "/products/9/live"),
            live ->
                live.number("ready") >= BUYERS && live.number("ready") == live.number("joined"));
  }

  private static void awaitLedger(ShopClient shop, Collection<String> orders) {
    Eventually.await(
        "all orders in the ledger", () -> new HashSet<>(ledger(shop)).containsAll(orders));
  }

  private static List<String> ledger(ShopClient shop) {
    List<String> ids = new ArrayList<>();
    String after = "";
    do {
      String query = "product_id=9&limit=500" + (after.isEmpty() ? "" : "&after=" + after);
      Answer page =
          Eventually.get(
              "a page of orders", () -> admin(shop, "GET", "/orders?" + query), Answer::ok);
      page.body().path("orders").forEach(order -> ids.add(order.path("order_id").asText()));
      after = page.text("after");
    } while (!after.isEmpty());
    return ids;
  }

  /// Retries with the same key when the outcome is unknown, as a client does.
  private static Answer buyAgain(ShopClient shop, String session) {
    return Eventually.get(
        "an outcome that is known", () -> await(buy(shop, session)), CrashIT::isSettled);
  }

  private static boolean isSettled(Answer answer) {
    return !answer.unknown() && answer.status() != 503;
  }

  private static Future<Answer> buy(ShopClient shop, String session) {
    return shop.purchase(session, "9", 1, "", "key-" + session);
  }

  private static Answer admin(ShopClient shop, String method, String path) throws TimeoutException {
    return await(shop.admin(method, "/api/admin" + path, TestFairgate.OPERATOR, null));
  }

  private static <T> T await(Future<T> future) throws TimeoutException {
    return future.await(60, TimeUnit.SECONDS);
  }
}
