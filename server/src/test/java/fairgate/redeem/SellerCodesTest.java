package fairgate.redeem;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.KeyRing;
import fairgate.redeem.code.BindOutcome;
import fairgate.redeem.code.CodeVault;
import fairgate.redeem.code.SellerCode;
import fairgate.redeem.code.SellerCodes;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Codes that the seller brings are given out for the orders they are bound to.
class SellerCodesTest {
  private static Shop shop;

  @BeforeAll
  static void open() {
    shop = Shop.open(Map.of());
    shop.product("basic", 30);
  }

  @AfterAll
  static void close() {
    shop.close();
  }

  private static List<BindOutcome> bind(SellerCode... codes) {
    // The key of TestFairgate.
    byte[] key =
        HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    SellerCodes seller = new SellerCodes(new CodeVault(new KeyRing("k1", Map.of("k1", key))));
    List<BindOutcome> outcomes = new ArrayList<>();
    shop.withDatabase(
        (_, database) ->
            outcomes.addAll(database.tx(db -> seller.bind(db, List.of(codes), "importer"))));
    return outcomes;
  }

  private static SellerCode code(String order, String code) {
    return new SellerCode("taobao", order, "basic", code);
  }

  @Test
  void theOrderGetsItsOwnCode() {
    shop.order("taobao", "TB70260108000001", "basic", "paid");
    assertThat(bind(code("TB70260108000001", "Seller/own code-1")))
        .containsExactly(new BindOutcome.Bound());
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
        .containsExactly(new BindOutcome.Repeated());
    assertThat(bind(code("TB70260108000001", "another one")))
        .containsExactly(new BindOutcome.OrderTaken());
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
            new BindOutcome.Bound(),
            new BindOutcome.CodeTaken(),
            new BindOutcome.OrderTaken(),
            new BindOutcome.Repeated());
  }

  @Test
  void aCodeNobodyClaimedYetIsUnknownOutside() {
    assertThat(bind(code("TB70260108000004", "waiting-code"))).hasSize(1);
    shop.post("/api/redeem/activate", "{\"code\":\"waiting-code\",\"device_id\":\"d\"}")
        .refused(404, "CODE_NOT_FOUND");
  }
}
