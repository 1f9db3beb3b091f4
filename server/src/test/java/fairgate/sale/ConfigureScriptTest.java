package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.catalog.Product;
import fairgate.catalog.ProductState;
import fairgate.catalog.SalePolicy;
import fairgate.kernel.Money;
import fairgate.sale.ConfigureScript.Word;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ConfigureScriptTest {
  private final SaleWorld none = SaleWorld.unknown();
  private final ConfigureScript script = new ConfigureScript(none.redis());

  private Product product(long version, ProductState state, SalePolicy.Preset preset) {
    return new Product(
        none.product(),
        new Product.Details("Ticket", "", new Money(9_999, "TWD"), 5, null),
        preset.policy(),
        1,
        state,
        version,
        null);
  }

  private Word run(long version, ProductState state, long createEpoch) {
    return script
        .run(none.keys(), product(version, state, SalePolicy.Preset.FLASH), createEpoch)
        .await();
  }

  @Test
  void aSaleIsMadeWithThePolicyOfItsProduct() {
    assertThat(run(3, ProductState.SCHEDULED, 4)).isEqualTo(Word.APPLIED);
    Map<String, String> fields =
        Map.ofEntries(
            Map.entry("version", "3"),
            Map.entry("state", "scheduled"),
            Map.entry("epoch", "4"),
            Map.entry("opens_at", "0"),
            Map.entry("closes_at", "0"),
            Map.entry("capacity", "2000"),
            Map.entry("slots", "2000"),
            Map.entry("rate", "1200"),
            Map.entry("window_ms", "300000"),
            Map.entry("presence_ms", "120000"),
            Map.entry("max_quantity", "2"),
            Map.entry("max_user", "2"),
            Map.entry("max_device", "2"),
            Map.entry("cooldown_s", "60"),
            Map.entry("token", "1"),
            Map.entry("token_ttl_ms", "10000"),
            Map.entry("payment", "1"),
            Map.entry("payment_ms", "600000"),
            Map.entry("price", "9999"),
            Map.entry("currency", "TWD"),
            Map.entry("released", "0"),
            Map.entry("held", "0"),
            Map.entry("confirmed", "0"),
            Map.entry("batch", "0"),
            Map.entry("seq", "0"));
    assertThat(none.names()).containsExactly("event:" + none.product() + ":sale");
    fields.forEach((field, value) -> assertThat(none.sale(field)).as(field).isEqualTo(value));
    assertThat(none.sale("run")).as("the Redis it was made in").hasSize(40);
    assertThat(none.send("HLEN", none.keys().sale()).number()).isEqualTo(fields.size() + 1);
    assertThat(none.send("TTL", none.keys().sale()).number()).isEqualTo(-1);
  }

  @Test
  void aSaleThereIsNotIsMadeOnPurposeOnly() {
    assertThat(run(1, ProductState.OPEN, 0)).isEqualTo(Word.MISSING);
    assertThat(none.dump()).isEmpty();
  }

  @Test
  void anOlderVersionAndARepeatChangeNothing() {
    assertThat(run(5, ProductState.OPEN, 1)).isEqualTo(Word.APPLIED);
    Map<String, String> before = none.dump();
    assertThat(run(5, ProductState.PAUSED, 1)).isEqualTo(Word.SAME);
    assertThat(run(4, ProductState.CLOSED, 9)).isEqualTo(Word.SAME);
    assertThat(none.dump()).isEqualTo(before);
  }

  @Test
  void aNewVersionNeverTouchesStockOrALiveCounter() {
    SaleWorld world = SaleWorld.open(5, "payment 1 payment_ms 60000");
    assertThat(world.buy(world.ready())).startsWith("RESERVED");
    List<String> before = world.scripts().live().await().texts().subList(1, 17);
    assertThat(world.configure("open", "capacity 7")).isEqualTo("APPLIED");
    assertThat(world.scripts().live().await().texts().subList(1, 17)).isEqualTo(before);
    assertThat(world.sale("capacity")).isEqualTo("7");
  }

  @Test
  void aPauseGivesRunningWindowsTheirTimeBack() {
    SaleWorld world = SaleWorld.open(5, "slots 2", "window_ms 300");
    Buyer buyer = world.ready();
    long ends = Long.parseLong(world.session(buyer, "purchase_timeout_at"));
    assertThat(world.configure("paused")).isEqualTo("APPLIED");
    SaleWorld.await(() -> world.now() > ends + 50);
    assertThat(world.scripts().expire(10).await().at(0).number()).isZero();
    assertThat(world.configure("open")).isEqualTo("APPLIED");
    long later = Long.parseLong(world.session(buyer, "purchase_timeout_at"));
    assertThat(later).isGreaterThan(world.now());
    assertThat(world.score(world.keys().ready(), buyer.session().value())).isEqualTo(later);
    assertThat(world.send("GET", world.keys().lock(buyer.session())).text())
        .isEqualTo(Long.toString(later));
    assertThat(world.send("PEXPIRETIME", world.keys().lock(buyer.session())).number())
        .isEqualTo(later);
    assertThat(world.sale("paused_at")).isEmpty();
    assertThat(world.buy(buyer)).startsWith("RESERVED");
  }

  @Test
  void aWindowThatHadPassedBeforeThePauseStaysPassed() {
    SaleWorld world = SaleWorld.open(5);
    Buyer buyer = world.ready();
    world.windowPasses(buyer);
    assertThat(world.configure("paused")).isEqualTo("APPLIED");
    assertThat(world.configure("paused", "capacity 9")).isEqualTo("APPLIED");
    assertThat(world.configure("open")).isEqualTo("APPLIED");
    assertThat(world.buy(buyer)).isEqualTo("TIMEOUT");
    assertThat(world.scripts().expire(10).await().at(0).number()).isEqualTo(1);
  }

  @Test
  void aSessionThatIsGoneComesNotBackWithAResumedSale() {
    SaleWorld world = SaleWorld.open(5);
    Buyer buyer = world.ready();
    assertThat(world.configure("paused")).isEqualTo("APPLIED");
    world.sent("DEL", world.keys().session(buyer.session()));
    assertThat(world.configure("open")).isEqualTo("APPLIED");
    assertThat(world.send("EXISTS", world.keys().session(buyer.session())).number()).isZero();
  }
}
