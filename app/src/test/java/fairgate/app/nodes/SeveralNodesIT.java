package fairgate.app.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.crowd.Answer;
import fairgate.crowd.Buyer;
import fairgate.crowd.ShopClient;
import fairgate.platform.http.Loops;
import fairgate.testkit.Eventually;
import fairgate.testkit.FrontProxy;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Nodes die and start while many buyers join, wait and buy through a real nginx with the
/// configuration of `deploy/nginx`.
@Timeout(600)
@Tag("proof")
class SeveralNodesIT {
  private static final Path CONFIG = Path.of("../deploy/nginx/fairgate.conf");

  /// Longer than all waits of the test on a busy machine.
  private static final Duration PATIENCE = Duration.ofMinutes(9);

  private static final String PRODUCT = "7104";
  private static final int CAPACITY = 40;
  private static final int RATE = 80;
  private static final int UNITS = 160;
  private static final int MORE_UNITS = 60;
  private static final int BUYERS = 340;
  private static final int BUSY = 503;
  private static final int LOG_LINES = 20;

  private final Vertx vertx = Loops.vertx();
  private final Map<String, Integer> places = new ConcurrentHashMap<>();
  private final List<String> wrongs = new CopyOnWriteArrayList<>();
  private final Map<String, String> orders = new ConcurrentHashMap<>();

  @Test
  void theSaleContinuesWhileNodesDieAndStart() throws Exception {
    TestEngines engines = TestEngines.shared();
    try (Fleet fleet = new Fleet(engines, 4)) {
      fleet.start(0, 1, 2);
      try (FrontProxy nginx = nginx(fleet.ports());
          ShopClient shop = client(nginx.port(0));
          ShopClient last = client(fleet.port(3))) {
        open(fleet.port(0));
        try (SaleWatch watch = new SaleWatch(engines.redisUri(), PRODUCT)) {
          sendCrowd(shop);
          until("the sale is under way", nginx, () -> watch.sold() > UNITS / 6);
          fleet.kill(0);
          fleet.start(3);
          fleet.kill(1);
          until("half is sold", nginx, () -> watch.sold() >= UNITS / 2);
          fleet.kill(2);
          long soldByOthers = watch.sold();
          addUnits(last);
          until("all is sold", nginx, () -> watch.sold() == UNITS + MORE_UNITS);
          assertThat(watch.sold() - soldByOthers).isGreaterThanOrEqualTo(MORE_UNITS);
          until("all buyers know", nginx, () -> orders.size() == UNITS + MORE_UNITS);
          watch.assertWithin(CAPACITY, RATE);
        }
        until("the ledger has all", nginx, () -> ledger(last).size() >= UNITS + MORE_UNITS);
        assertThat(ledger(last)).containsExactlyInAnyOrderElementsOf(orders.values());
        assertThat(new HashSet<>(orders.values())).hasSize(UNITS + MORE_UNITS);
        assertThat(wrongs).isEmpty();
      }
    } finally {
      vertx.close().await(60, TimeUnit.SECONDS);
    }
  }

  /// The shipped file with the operator's own values replaced: addresses, certificate, rate.
  private static FrontProxy nginx(List<Integer> ports) throws IOException {
    String config = Files.readString(CONFIG);
    for (int i = 0; i < ports.size(); i++) {
      config = replaced(config, "10.0.0.1" + (i + 1) + ":8080", "127.0.0.1:" + ports.get(i));
    }
    config = replaced(config, "listen 443 ssl http2;", "listen 127.0.0.1:$PORT0;");
    config = replaced(config, "rate=50r/s", "rate=50000r/s");
    config = replaced(config, "burst=200 ", "burst=20000 ");
    return FrontProxy.nginx(
        config
            .lines()
            .filter(line -> !line.strip().startsWith("ssl_certificate"))
            .collect(Collectors.joining("\n", "", "\n")),
        1);
  }

  private static String replaced(String config, String one, String other) {
    assertThat(config).containsOnlyOnce(one);
    return config.replace(one, other);
  }

  private ShopClient client(int port) {
    return new ShopClient(vertx, "127.0.0.1", port, 200, 30_000);
  }

  private void open(int port) throws TimeoutException {
    ObjectNode policy =
        JsonNodeFactory.instance
            .objectNode()
            .put("preset", "flash")
            .put("active_capacity", CAPACITY)
            .put("ready_slots", CAPACITY)
            .put("admit_per_second", RATE)
            .put("purchase_window_seconds", 300)
            .put("max_quantity", 1)
            .put("payment", "none");
    ObjectNode product =
        JsonNodeFactory.instance
            .objectNode()
            .put("id", PRODUCT)
            .put("name", "Ticket")
            .put("image_url", "")
            .put("price", 100)
            .put("total_stock", UNITS);
    product.set("policy", policy);
    try (ShopClient direct = client(port)) {
      assertThat(admin(direct, "POST", "/products", product).status()).isEqualTo(201);
      assertThat(admin(direct, "POST", "/products/" + PRODUCT + "/open", null).ok()).isTrue();
    }
  }

  private static void addUnits(ShopClient node) {
    ObjectNode units =
        JsonNodeFactory.instance.objectNode().put("quantity", MORE_UNITS).put("key", "second");
    // The key adds them once.
    Eventually.await(
        "the units are added",
        () -> admin(node, "POST", "/products/" + PRODUCT + "/stock", units).ok());
  }

  /// They arrive one after the other, so that some join while nodes die.
  private void sendCrowd(ShopClient shop) {
    Buyer.Plan plan = new Buyer.Plan(PRODUCT, 1, 400, PATIENCE.toMillis());
    for (int i = 0; i < BUYERS; i++) {
      vertx.setTimer(
          1 + i * 12L,
          _ -> Buyer.go(vertx, shop, plan, this::look).onSuccess(SeveralNodesIT.this::done));
    }
  }

  private void done(Buyer.Result result) {
    if (!result.order().isEmpty()) {
      String before = orders.put(result.session(), result.order());
      if (before != null) {
        wrongs.add("two orders of one session: " + before + " and " + result.order());
      }
    } else if (!"INSUFFICIENT_STOCK".equals(result.answer().error())) {
      wrongs.add(result.toString());
    }
  }

  /// No buyer moves back or loses a place, whichever node answers.
  private void look(Answer answer) {
    // A node that is too busy says nothing of the place; the buyer asks again.
    if (answer.unknown() || answer.status() == BUSY) {
      return;
    }
    String session = answer.text("session_id");
    int place = place(answer);
    Integer before = places.put(session, place);
    if (place < 0 || (before != null && place > before)) {
      wrongs.add("from " + before + ": " + answer);
    }
  }

  /// The position in the queue; large when far behind, -1 without a place.
  private static int place(Answer answer) {
    return switch (answer.text("queue_status")) {
      case "waiting" -> 2_000_000 + (int) answer.number("queue_position_waiting");
      case "active" -> 1_000_000 + (int) answer.number("queue_position_active");
      case "ready_to_purchase" -> 1;
      case "purchased" -> 0;
      default -> -1;
    };
  }

  private static Set<String> ledger(ShopClient node) {
    Set<String> ids = new HashSet<>();
    Answer page;
    try {
      page = admin(node, "GET", "/orders?limit=500&product_id=" + PRODUCT, null);
    } catch (TimeoutException e) {
      throw new AssertionError(e);
    }
    for (JsonNode order : page.body().path("orders")) {
      assertThat(ids.add(order.path("order_id").asText())).isTrue();
    }
    return ids;
  }

  private static Answer admin(
      ShopClient node, String method, String path, @Nullable ObjectNode body)
      throws TimeoutException {
    Future<Answer> answer = node.admin(method, "/api/admin" + path, TestFairgate.OPERATOR, body);
    return answer.await(60, TimeUnit.SECONDS);
  }

  private void until(String what, FrontProxy nginx, Eventually.Condition condition) {
    try {
      Eventually.await(what, condition);
    } catch (AssertionError e) {
      List<String> log = nginx.said().lines().toList();
      throw new AssertionError(
          "%s; %d orders; nginx: %s; %s"
              .formatted(
                  e.getMessage(),
                  orders.size(),
                  log.subList(Math.max(0, log.size() - LOG_LINES), log.size()),
                  wrongs),
          e);
    }
  }
}
