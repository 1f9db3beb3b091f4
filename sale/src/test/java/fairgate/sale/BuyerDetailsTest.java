package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.TestIds;
import fairgate.kernel.KeyRing;
import fairgate.kernel.KeySeal;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.sale.BuyerDetails.OrderDetails;
import fairgate.sale.ledger.LedgerFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// On a real PostgreSQL.
@Tag("slow")
class BuyerDetailsTest {
  private static final ProductId PRODUCT = new ProductId("7");
  private static final Map<String, String> VALUES =
      Map.of("name", "王小明", "address", "1 Road\nTaipei");

  private LedgerFixture ledger;
  private BuyerDetails details;

  @BeforeEach
  void open() {
    ledger = LedgerFixture.fresh(TestEngines.shared());
    details = with("k");
  }

  @AfterEach
  void close() {
    ledger.close();
  }

  private BuyerDetails with(String keyId) {
    KeyRing keys = new KeyRing(keyId, Map.of(keyId, new byte[32]));
    return new BuyerDetails(
        ledger.database(),
        new KeySeal(keys, new TestIds(), BuyerDetails.PURPOSE),
        _ -> Optional.empty(),
        Duration.ofDays(400));
  }

  private static OrderId order(int number) {
    return new OrderId("order_7_" + "0".repeat(24) + (10 + number));
  }

  private Map<String, String> values(OrderId order) {
    return details.find(order).map(OrderDetails::values).orElse(Map.of());
  }

  private void sql(String statement, Object... args) {
    int _ = ledger.database().tx(db -> db.update(statement, args));
  }

  @Test
  void valuesAreEncryptedAndBoundToTheirOrder() {
    assertThat(details.save(order(1), "acc_1", VALUES, true)).isTrue();
    assertThat(details.save(order(2), "acc_2", Map.of("name", "other"), true)).isTrue();
    assertThat(values(order(1))).isEqualTo(VALUES);
    assertThat(details.find(order(1)).toString()).doesNotContain("王小明");
    String stored =
        ledger
            .database()
            .reading(db -> db.query("SELECT string_agg(d::text, ' ') FROM order_details d"))
            .getFirst()
            .getString(0);
    assertThat(stored).doesNotContain("王小明").doesNotContain("Taipei");
    sql(
        """
        UPDATE order_details SET sealed = (SELECT sealed FROM order_details WHERE order_id = $2)
        WHERE order_id = $1
        """,
        order(1).value(),
        order(2).value());
    assertThat(details.find(order(1)).map(OrderDetails::readable)).contains(false);
    assertThat(values(order(1))).isEmpty();
  }

  @Test
  void valuesUnderAMissingMasterKeyAreNotReadable() {
    assertThat(details.save(order(1), "acc_1", VALUES, true)).isTrue();
    assertThat(with("other").find(order(1)).map(OrderDetails::readable)).contains(false);
  }

  @Test
  void aPendingOrderReplacesAndAPaidOneKeepsWhatWasGivenFirst() {
    assertThat(details.save(order(1), "acc_1", VALUES, false)).isTrue();
    assertThat(details.save(order(1), "acc_1", Map.of("name", "b"), false)).isFalse();
    assertThat(values(order(1))).isEqualTo(VALUES);
    assertThat(details.save(order(1), "acc_1", Map.of("name", "c"), true)).isTrue();
    assertThat(values(order(1))).isEqualTo(Map.of("name", "c"));
  }

  @Test
  void anOrderOrAllOrdersOfAnAccountAreErased() {
    for (int i = 1; i <= 4; i++) {
      assertThat(details.save(order(i), i < 4 ? "acc_" + i % 2 : "phone_x", VALUES, true)).isTrue();
    }
    assertThat(details.erase(order(2))).isTrue();
    assertThat(details.erase(order(2))).isFalse();
    details.eraseOf(List.of("acc_1", "phone_x"));
    for (int i = 1; i <= 4; i++) {
      assertThat(details.find(order(i))).isEmpty();
    }
  }

  @Test
  void oldValuesAndThoseOfUnpaidOrdersAreErased() {
    assertThat(details.save(order(1), "acc_1", VALUES, true)).isTrue();
    assertThat(details.save(order(2), "acc_1", VALUES, true)).isTrue();
    sql(
        "UPDATE order_details SET given_at = now() - interval '401 days' WHERE order_id = $1",
        order(1).value());
    details.prune();
    assertThat(details.find(order(1))).isEmpty();
    assertThat(details.find(order(2))).isPresent();
  }

  @Test
  void aProductsValuesComeInChunks() {
    for (int i = 1; i <= 3; i++) {
      assertThat(details.save(order(i), "acc_1", VALUES, true)).isTrue();
    }
    List<OrderId> found = new ArrayList<>();
    details.forEachChunk(PRODUCT, chunk -> chunk.forEach(each -> found.add(each.order())));
    assertThat(found).containsExactly(order(1), order(2), order(3));
    details.forEachChunk(
        new ProductId("8"), chunk -> assertThat(chunk).as("another product").isEmpty());
  }
}
