package fairgate.redeem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.kernel.Caller;
import fairgate.kernel.KeyRing;
import fairgate.redeem.ClaimService.Claim;
import fairgate.redeem.code.CodeVault;
import fairgate.redeem.orders.KnownOrder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The statement that writes claims: what it checks once more, and what it does when a code is
/// taken.
class PostgresClaimsTest {
  private static final CodeVault VAULT =
      new CodeVault(new KeyRing("k1", Map.of("k1", new byte[32])));
  private static final Instant NOW = Instant.parse("2026-01-08T10:00:00Z");

  private static RedeemTestServer shop;

  @BeforeAll
  static void open() {
    shop = RedeemTestServer.open(Map.of());
  }

  @AfterAll
  static void close() {
    shop.close();
  }

  private static Claim claim(String order, String device, String code) {
    return new Claim(
        "taobao",
        order,
        "basic",
        new ClaimRequest.Claimant(device, "cookie", true, Caller.NONE),
        device,
        new Claim.Validity(30, "claim", NOW.plusSeconds(60), false),
        VAULT.seal(code),
        NOW);
  }

  private static void order(String id) {
    shop.order("taobao", id, "basic", "paid");
  }

  @Test
  void theOrderIsLookedAtOnceMore() {
    order("TB80260108000001");
    shop.withDatabase(
        (_, database) -> {
          PostgresClaims claims = new PostgresClaims(database);
          String[] changes = {
            "status = 'refunded'",
            "status = 'paid', product_id = 'other'",
            "product_id = 'basic', expires_at = '2026-01-08T10:00:00Z'"
          };
          for (String change : changes) {
            shop.sql("UPDATE orders SET " + change + " WHERE order_id = 'TB80260108000001'");
            assertThat(claims.write(claim("TB80260108000001", "d", "AAAA-2222"))).isEmpty();
          }
          shop.sql("UPDATE orders SET expires_at = NULL WHERE order_id = 'TB80260108000001'");
          assertThat(claims.write(claim("TB80260108000001", "d", "AAAA-2222"))).isPresent();
          assertThat(claims.write(claim("TB80260108999999", "d", "AAAA-3333"))).isEmpty();
        });
  }

  @Test
  void aCodeThatIsTakenHasToBeDrawnAgain() {
    order("TB80260108000002");
    order("TB80260108000003");
    order("TB80260108000004");
    shop.withDatabase(
        (_, database) -> {
          PostgresClaims claims = new PostgresClaims(database);
          assertThat(claims.write(claim("TB80260108000002", "d", "BBBB-2222"))).isPresent();
          assertThatThrownBy(() -> claims.write(claim("TB80260108000003", "d", "BBBB-2222")))
              .isInstanceOf(PostgresClaims.CodeTaken.class);
          assertThat(
                  claims.writeAll(
                      List.of(
                          claim("TB80260108000003", "d", "bbbb2222"),
                          claim("TB80260108000004", "d", "BBBB-3333"))))
              .satisfiesExactly(
                  taken -> assertThat(taken).isEmpty(), free -> assertThat(free).isPresent());
          assertThat(claims.write(claim("TB80260108000003", "d", "BBBB-4444"))).isPresent();
        });
  }

  @Test
  void twoClaimsOfOneOrderInOneStatementAreOne() {
    order("TB80260108000005");
    shop.withDatabase(
        (_, database) ->
            assertThat(
                    new PostgresClaims(database)
                        .writeAll(
                            List.of(
                                claim("TB80260108000005", "d1", "CCCC-2222"),
                                claim("TB80260108000005", "d2", "CCCC-3333"))))
                .satisfiesExactly(
                    first -> assertThat(first).isPresent(),
                    second -> assertThat(second).isEmpty()));
    assertThat(
            shop.value(
                "SELECT device_id FROM order_redemptions WHERE order_id = ?", "TB80260108000005"))
        .isEqualTo("d1");
  }

  @Test
  void anOrderThatWasImportedMeanwhileCountsAsItIs() {
    shop.order("taobao", "TB80260108000006", "basic", "refunded");
    KnownOrder remote =
        new KnownOrder("taobao", "TB80260108000006", "basic", KnownOrder.State.PAID, null);
    shop.withDatabase(
        (_, database) -> {
          PostgresClaims claims = new PostgresClaims(database);
          assertThat(claims.write(claim("TB80260108000006", "d", "DDDD-2222"), remote)).isEmpty();
          shop.sql("UPDATE orders SET status = 'paid' WHERE order_id = 'TB80260108000006'");
          assertThat(claims.write(claim("TB80260108000006", "d", "DDDD-2222"), remote)).isPresent();
        });
  }
}
