package fairgate.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.catalog.SaleKeys.Style;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// The names other tools read, letter by letter.
class SaleKeysTest {
  private static final ProductId PRODUCT = new ProductId("7");
  private static final String SESSION = "6f1e9a52-7d55-4c39-8a43-0e5a3d1f2b77";
  private static final OrderId ORDER = OrderId.of(PRODUCT, "0mj7zr4k8q2x5v9c1b3n6t0yga");

  private static Map<String, String> names(Style style) {
    SaleKeys keys = SaleKeys.of(PRODUCT, style);
    SessionId session = new SessionId(SESSION);
    Map<String, String> names = new TreeMap<>();
    names.put("stock", keys.stock());
    names.put("sale", keys.sale());
    names.put("waiting", keys.waiting());
    names.put("active", keys.active());
    names.put("ready", keys.ready());
    names.put("devices", keys.devices());
    names.put("purchases", keys.purchases());
    names.put("pending", keys.pending());
    names.put("outbox", keys.outbox());
    names.put("session", keys.session(session));
    names.put("lock", keys.lock(session));
    names.put("order", keys.order(ORDER));
    names.put("userBought", keys.userBought("u"));
    names.put("deviceBought", keys.deviceBought("d"));
    names.put("userCooldown", keys.userCooldown("u"));
    names.put("deviceCooldown", keys.deviceCooldown("d"));
    names.put("token", keys.token("t"));
    names.put("idempotency", keys.idempotency("i"));
    names.put("challenge", keys.challenge("c"));
    return names;
  }

  @Test
  void theNamesOfASingleRedisAreThoseOfTheDocuments() {
    assertThat(names(Style.PLAIN))
        .containsExactlyInAnyOrderEntriesOf(
            Map.ofEntries(
                Map.entry("stock", "product:stock:7"),
                Map.entry("sale", "event:7:sale"),
                Map.entry("waiting", "queue:waiting:product:7"),
                Map.entry("active", "queue:active:product:7"),
                Map.entry("ready", "queue:ready:product:7"),
                Map.entry("devices", "queue:devices:product:7"),
                Map.entry("purchases", "purchases:product:7"),
                Map.entry("pending", "orders:pending:product:7"),
                Map.entry("outbox", "event:7:outbox"),
                Map.entry("session", "session:" + SESSION),
                Map.entry("lock", "purchase:lock:" + SESSION),
                Map.entry("order", "order:" + ORDER.value()),
                Map.entry("userBought", "event:7:user:u:bought"),
                Map.entry("deviceBought", "event:7:fp:d:bought"),
                Map.entry("userCooldown", "event:7:user:u:cooldown"),
                Map.entry("deviceCooldown", "event:7:fp:d:cooldown"),
                Map.entry("token", "event:7:token:t"),
                Map.entry("idempotency", "event:7:idem:i"),
                Map.entry("challenge", "event:7:challenge:c")));
  }

  @Test
  void inAClusterEveryNameBearsTheTagOfItsSaleAndIsElseTheSame() {
    Map<String, String> plain = names(Style.PLAIN);
    Map<String, String> cluster = names(Style.CLUSTER);
    assertThat(cluster.keySet()).isEqualTo(plain.keySet());
    cluster.forEach(
        (what, name) -> {
          assertThat(name.indexOf("{7}")).as(name).isEqualTo(name.indexOf('{')).isPositive();
          List<String> same = List.of(name.replace("{7}:", ""), name.replace("{7}", "7"));
          assertThat(same).as(what).contains(plain.get(what));
        });
  }

  @Test
  void thePointerOfASessionHasNoTag() {
    assertThat(SaleKeys.pointer(new SessionId(SESSION)))
        .isEqualTo("session:" + SESSION + ":product");
  }
}
