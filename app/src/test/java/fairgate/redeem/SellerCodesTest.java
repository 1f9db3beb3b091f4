package fairgate.redeem;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import fairgate.kernel.KeyRing;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.redeem.code.CodeMask;
import fairgate.redeem.code.CodeStrength;
import fairgate.redeem.code.CodeUpkeep;
import fairgate.redeem.code.CodeVault;
import fairgate.redeem.code.SellerCodes;
import fairgate.redeem.code.SellerStock;
import io.vertx.core.Vertx;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// Codes that the seller brings are given out for the orders they are bound to.
class SellerCodesTest {
  private static RedeemTestServer shop;

  @BeforeAll
  static void open() {
    shop = RedeemTestServer.open(Map.of());
    shop.product("basic", 30);
  }

  @AfterAll
  static void close() {
    shop.close();
  }

  private static List<SellerCodes.BindOutcome> bind(SellerCodes.SellerCode... codes) {
    // The key of TestFairgate.
    byte[] key =
        HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    SellerCodes seller = new SellerCodes(new CodeVault(new KeyRing("k1", Map.of("k1", key))));
    List<SellerCodes.BindOutcome> outcomes = new ArrayList<>();
    shop.withDatabase(
        (_, database) ->
            outcomes.addAll(database.tx(db -> seller.bind(db, List.of(codes), "importer"))));
    return outcomes;
  }

  private static SellerCodes.SellerCode code(String order, String code) {
    return new SellerCodes.SellerCode("taobao", order, "basic", code);
  }

  @Test
  void theOrderGetsItsOwnCode() {
    shop.order("taobao", "TB70260108000001", "basic", "paid");
    assertThat(bind(code("TB70260108000001", "Seller/own code-1")))
        .containsExactly(new SellerCodes.BindOutcome.Bound());
    String browser = shop.browser();
    assertThat(shop.claim("TB70260108000001", "basic", "mine", browser).code())
        .isEqualTo("Seller/own code-1");
    assertThat(shop.claim("TB70260108000001", "basic", "mine", browser).code())
        .isEqualTo("Seller/own code-1");
    assertThat(
            shop.sql(
                "SELECT state, source FROM redemption_codes WHERE order_id = ?",
                "TB70260108000001"))
        .containsExactly(List.of("assigned", "seller"));
    assertThat(
            shop.value(
                "SELECT string_agg(e.to_state, ' ' ORDER BY e.id) FROM code_events e"
                    + " JOIN redemption_codes c ON c.id = e.code_id WHERE c.order_id = ?",
                "TB70260108000001"))
        .isEqualTo("available assigned");
    assertThat(bind(code("TB70260108000001", "Seller/own code-1")))
        .containsExactly(new SellerCodes.BindOutcome.Repeated());
    assertThat(bind(code("TB70260108000001", "another one")))
        .containsExactly(new SellerCodes.BindOutcome.OrderTaken());
  }

  @Test
  void whatIsTakenIsTold() {
    assertThat(
            bind(
                code("TB70260108000002", "one-of-two"),
                code("TB70260108000003", "ONE OF TWO"),
                code("TB70260108000002", "another"),
                code("TB70260108000002", "one-of-two")))
        .containsExactly(
            new SellerCodes.BindOutcome.Bound(),
            new SellerCodes.BindOutcome.CodeTaken(),
            new SellerCodes.BindOutcome.OrderTaken(),
            new SellerCodes.BindOutcome.Repeated());
  }

  @Test
  void aCodeOfAnotherProductIsNotGivenOut() {
    shop.product("standard", 30);
    shop.order("taobao", "TB70260108000005", "basic", "paid");
    assertThat(bind(code("TB70260108000005", "basic-only-5"))).hasSize(1);
    shop.sql("UPDATE orders SET product_id = 'standard' WHERE order_id = 'TB70260108000005'");
    assertThat(shop.claim("TB70260108000005", "standard", "mine", "").code()).startsWith("MHYDET-");
  }

  @Test
  void ordersWithoutACodeAreToldThatCodesHaveRunOut() {
    shop.product("cards", 30);
    for (int i = 1; i <= 3; i++) {
      shop.order("taobao", "TB7026010900000" + i, "cards", "paid");
    }
    shop.order("taobao", "TB70260109000004", "cards", "pending");
    assertThat(bind(new SellerCodes.SellerCode("taobao", "TB70260109000001", "cards", "CARD-0001")))
        .hasSize(1);
    RedeemTestServer.Answer refused =
        shop.claim("TB70260109000002", "cards", "mine", "").refused(503, "CODES_RUN_OUT");
    assertThat(refused.raw().headers().firstValue("retry-after")).hasValue("600");
    assertThat(refused.body().path("message").asText()).contains("兌換碼已發完");
    assertThat(shop.value("SELECT count(*) FROM order_redemptions WHERE product_id = 'cards'"))
        .isEqualTo("0");
    assertThat(stock("cards")).isEqualTo("1 2");
    assertThat(shop.claim("TB70260109000001", "cards", "mine", "").code()).isEqualTo("CARD-0001");
    assertThat(bind(new SellerCodes.SellerCode("taobao", "TB70260109000002", "cards", "CARD-0002")))
        .hasSize(1);
    assertThat(shop.claim("TB70260109000002", "cards", "mine", "").code()).isEqualTo("CARD-0002");
    assertThat(stock("cards")).isEqualTo("0 1");
  }

  private static String stock(String product) {
    for (JsonNode one : shop.admin("GET", "/redeem/stock", "").path("products")) {
      if (one.path("product_id").asText().equals(product)) {
        return one.path("codes_left").asLong() + " " + one.path("orders_without_code").asLong();
      }
    }
    return "none";
  }

  @Test
  void aProductSaysWhoseCodesItGives() {
    shop.order("taobao", "TB70260110000001", "mixed", "paid");
    shop.order("taobao", "TB70260110000002", "mixed", "paid");
    String path = "/redeem/products/mixed";
    assertThat(shop.admin("PUT", path, "{\"name\":\"m\",\"codes\":\"seller\"}").path("codes"))
        .hasToString("\"seller\"");
    shop.claim("TB70260110000001", "mixed", "mine", "").refused(503, "CODES_RUN_OUT");
    assertThat(shop.admin("PUT", path, "{\"name\":\"m\",\"codes\":\"generated\"}").has("id"))
        .isTrue();
    assertThat(bind(new SellerCodes.SellerCode("taobao", "TB70260110000001", "mixed", "MIXED-01")))
        .hasSize(1);
    assertThat(shop.claim("TB70260110000001", "mixed", "mine", "").code()).isEqualTo("MIXED-01");
    assertThat(shop.claim("TB70260110000002", "mixed", "mine", "").code()).startsWith("MHYDET-");
    assertThat(stock("mixed")).isEqualTo("none");
  }

  @Test
  void runningOutIsLoggedOnceAndMeasured() {
    shop.product("gone", 30);
    shop.order("taobao", "TB70260111000001", "gone", "paid");
    shop.sql("UPDATE redeem_products SET codes = 'seller' WHERE id = 'gone'");
    Logger logger = (Logger) LoggerFactory.getLogger(SellerStock.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    try {
      shop.withDatabase(SellerCodesTest::look);
    } finally {
      logger.detachAppender(log);
    }
    // The server of the shop looks too.
    String mine = Thread.currentThread().getName();
    assertThat(List.copyOf(log.list))
        .filteredOn(line -> line.getThreadName().equals(mine))
        .singleElement()
        .extracting(ILoggingEvent::getFormattedMessage)
        .asString()
        .contains("Level[productId=gone, left=0, ordersWithout=1]");
  }

  private static void look(Vertx vertx, PostgresDatabase postgres) {
    CodeVault vault = new CodeVault(new KeyRing("k1", Map.of("k1", new byte[32])));
    CodeStrength strength = new CodeStrength(postgres, _ -> CodeMask.of("MHYDET-XXXXXX-XXXX"));
    Metrics metrics = new Metrics();
    try (CodeUpkeep upkeep =
        new CodeUpkeep(postgres, vault, strength, InstantSource.system(), metrics)) {
      assertThat(metrics.scrape()).contains("fairgate_redeem_orders_without_code 0.0");
      upkeep.look();
      upkeep.look();
      assertThat(metrics.scrape()).doesNotContain("fairgate_redeem_orders_without_code 0.0");
    }
  }

  @Test
  void aCodeNobodyClaimedYetIsUnknownOutside() {
    assertThat(bind(code("TB70260108000004", "waiting-code"))).hasSize(1);
    shop.post("/api/redeem/activate", "{\"code\":\"waiting-code\",\"device_id\":\"d\"}")
        .refused(404, "CODE_NOT_FOUND");
  }
}
