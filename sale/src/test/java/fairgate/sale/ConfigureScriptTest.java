package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.catalog.Product;
import fairgate.catalog.ProductContent;
import fairgate.catalog.ProductState;
import fairgate.catalog.SaleKeys;
import fairgate.catalog.SalePolicy;
import fairgate.kernel.Money;
import fairgate.sale.ConfigureScript.Reply;
import fairgate.sale.SaleRebuild.RebuildScript;
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
        null,
        ProductContent.EMPTY);
  }

  private Reply run(long version, ProductState state, long createEpoch) {
    return script
        .run(none.keys(), product(version, state, SalePolicy.Preset.FLASH), createEpoch)
        .await();
  }

  @Test
  void aSaleIsMadeWithThePolicyOfItsProduct() {
    assertThat(run(3, ProductState.SCHEDULED, 4)).isEqualTo(Reply.APPLIED);
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
            Map.entry("jitter_ms", "100"),
            Map.entry("presence_ms", "120000"),
            Map.entry("max_quantity", "2"),
            Map.entry("max_user", "2"),
            Map.entry("max_device", "2"),
            Map.entry("places_ip", "5"),
            Map.entry("places_net", "20"),
            Map.entry("places_site", "25"),
            Map.entry("units_ip", "4"),
            Map.entry("units_net", "40"),
            Map.entry("units_site", "50"),
            Map.entry("identity", ""),
            Map.entry("priority", ""),
            Map.entry("show_up_ms", "20000"),
            Map.entry("joins", "open"),
            Map.entry("shuffle", "1"),
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
            Map.entry("deposit", ""),
            Map.entry("seq", "0"),
            Map.entry("last_batch_at", "0"));
    assertThat(none.names()).containsExactly("event:" + none.product() + ":sale");
    fields.forEach((field, value) -> assertThat(none.sale(field)).as(field).isEqualTo(value));
    assertThat(none.sale("run")).as("the Redis it was made in").hasSize(40);
    assertThat(none.send("HLEN", none.keys().sale()).number()).isEqualTo(fields.size() + 1);
    assertThat(none.send("TTL", none.keys().sale()).number()).isEqualTo(-1);
  }

  @Test
  void aSaleThereIsNotIsMadeOnPurposeOnly() {
    assertThat(run(1, ProductState.OPEN, 0)).isEqualTo(Reply.MISSING);
    assertThat(none.dump()).isEmpty();
  }

  @Test
  void anOlderVersionAndARepeatChangeNothing() {
    assertThat(run(5, ProductState.OPEN, 1)).isEqualTo(Reply.APPLIED);
    Map<String, String> before = none.dump();
    assertThat(run(5, ProductState.PAUSED, 1)).isEqualTo(Reply.SAME);
    assertThat(run(4, ProductState.CLOSED, 9)).isEqualTo(Reply.SAME);
    assertThat(none.dump()).isEqualTo(before);
  }

  @Test
  void aNewVersionNeverTouchesStockOrALiveCounter() {
    SaleWorld world = SaleWorld.open(5, "payment 1 payment_ms 60000");
    assertThat(world.buy(world.ready())).startsWith("RESERVED");
    List<String> before = world.counters().subList(1, 17);
    assertThat(world.configure("open", "capacity 7")).isEqualTo("APPLIED");
    assertThat(world.counters().subList(1, 17)).isEqualTo(before);
    assertThat(world.sale("capacity")).isEqualTo("7");
  }

  @Test
  void aPauseGivesRunningWindowsTheirTimeBack() {
    SaleWorld world = SaleWorld.open(5, "slots 2");
    Buyer buyer = world.ready();
    long ends = windowEnds(world, buyer);
    assertThat(world.configure("paused")).isEqualTo("APPLIED");
    standsStillSince(world, buyer, 400_000);
    assertThat(world.scripts().expire(10).await().missed()).isZero();
    assertThat(windowEnds(world, buyer))
        .as("as the buyer is told in the pause")
        .isBetween(ends, world.now() + 300_000);
    assertThat(world.configure("open")).isEqualTo("APPLIED");
    assertThat(world.scripts().expire(10).await().missed()).isZero();
    assertThat(windowEnds(world, buyer)).isBetween(ends, world.now() + 300_000);
    assertThat(world.sale("paused_at")).isEmpty();
    assertThat(world.buy(buyer)).startsWith("RESERVED");
  }

  @Test
  void pausesAddUp() {
    SaleWorld world = SaleWorld.open(5, "slots 2", "token 1", "token_ttl_ms 600000");
    Buyer buyer = world.ready();
    long ends = windowEnds(world, buyer);
    for (int i = 0; i < 3; i++) {
      assertThat(world.configure("paused")).isEqualTo("APPLIED");
      standsStillSince(world, buyer, 200_000);
      assertThat(world.configure("paused", "capacity 9"))
          .as("a change in the pause")
          .isEqualTo("APPLIED");
      assertThat(world.configure("open")).isEqualTo("APPLIED");
    }
    assertThat(windowEnds(world, buyer)).isBetween(ends, world.now() + 300_000);
    String token = world.scripts().issue(buyer, "t").await().text();
    assertThat(Long.parseLong(token.split(" ", -1)[2]))
        .as("the token ends with the window")
        .isGreaterThan(ends - 1);
    Buyer next = world.ready();
    assertThat(windowEnds(world, next))
        .as("a window that begins later")
        .isBetween(ends, world.now() + 300_000);
  }

  @Test
  void aPausedSaleIsResumedWithOneScriptRunThatTouchesNobody() {
    SaleWorld world = SaleWorld.open(500, "slots 100");
    assertThat(world.join(world.buyers(90))).allMatch(reply -> reply.startsWith("JOINED"));
    assertThat(world.admitReady()).hasSize(90);
    assertThat(world.configure("paused")).isEqualTo("APPLIED");
    Map<String, String> before = world.dump();
    assertThat(world.configure("open")).isEqualTo("APPLIED");
    Map<String, String> after = world.dump();
    before.remove(world.keys().sale());
    after.remove(world.keys().sale());
    assertThat(after).isEqualTo(before);
  }

  @Test
  void aSaleIsNotOpenBeforeItsTimeWhateverIsStored() {
    SaleWorld world = SaleWorld.open(5);
    Buyer buyer = world.ready();
    assertThat(world.configure("open", "opens_at " + (world.now() + 60_000))).isEqualTo("APPLIED");
    assertThat(world.counters().getFirst()).isEqualTo("scheduled");
    assertThat(world.buy(buyer)).isEqualTo("NOT_OPEN");
    Buyer next = world.buyer();
    assertThat(world.join(next)).singleElement().asString().startsWith("JOINED");
    assertThat(world.admit().textAt(0)).isEqualTo("scheduled");
    assertThat(world.status(next)).isEqualTo("waiting");
  }

  @Test
  void aPostponedOpeningCostsNobodyTheirTurn() {
    SaleWorld world = SaleWorld.in("scheduled", 5, "slots 2", "opens_at 1");
    Buyer buyer = world.ready();
    long ends = windowEnds(world, buyer);
    String later = Long.toString(world.now() + 60_000);
    assertThat(world.configure("scheduled", "opens_at " + later)).isEqualTo("APPLIED");
    standsStillSince(world, buyer, 400_000);
    assertThat(world.scripts().expire(10).await().missed()).isZero();
    assertThat(world.buy(buyer)).isEqualTo("NOT_OPEN");
    // The new opening was 100 s ago: the standstill has lasted 300 s, and 100 s of the window have
    // run.
    String opened = Long.toString(world.now() - 100_000);
    world.sent("HSET", world.keys().sale(), "opens_at", opened);
    assertThat(world.scripts().expire(10).await().missed()).isZero();
    assertThat(windowEnds(world, buyer)).isBetween(ends - 100_000, world.now() + 200_000);
    assertThat(world.configure("paused", "opens_at " + opened)).isEqualTo("APPLIED");
    assertThat(world.configure("scheduled")).isEqualTo("APPLIED");
    assertThat(windowEnds(world, buyer)).isBetween(ends - 100_000, world.now() + 200_000);
    assertThat(world.buy(buyer)).startsWith("RESERVED");
  }

  @Test
  void aRebuildKeepsTheTimeOfAPauseAndAddsItsOwn() {
    SaleWorld world = SaleWorld.open(5, "slots 2");
    Buyer buyer = world.ready();
    long ends = windowEnds(world, buyer);
    assertThat(world.configure("paused")).isEqualTo("APPLIED");
    standsStillSince(world, buyer, 400_000);
    rebuild(world, 2);
    assertThat(world.configure("paused")).isEqualTo("APPLIED");
    assertThat(world.configure("open")).isEqualTo("APPLIED");
    assertThat(windowEnds(world, buyer)).isBetween(ends, world.now() + 300_000);
    rebuild(world, 3);
    standsStillSince(world, buyer, 400_000);
    assertThat(world.configure("open")).isEqualTo("APPLIED");
    assertThat(windowEnds(world, buyer)).isBetween(ends, world.now() + 300_000);
    assertThat(world.scripts().expire(10).await().missed()).isZero();
  }

  private static void rebuild(SaleWorld world, long epoch) {
    SaleKeys keys = world.keys();
    assertThat(
            RebuildScript.BEGIN
                .run(
                    world.redis(),
                    List.of(keys.sale(), keys.stock(), keys.purchases(), keys.pending()),
                    List.of(Long.toString(epoch), "60000", "test"))
                .await())
        .isTrue();
    assertThat(
            RebuildScript.END
                .run(
                    world.redis(),
                    List.of(keys.sale(), keys.stock()),
                    List.of(Long.toString(epoch), "5", "0", "0", "1", "0"))
                .await())
        .isTrue();
  }

  /// Makes it so that the sale has stood still for so much longer, and the buyer was ready before.
  private static void standsStillSince(SaleWorld world, Buyer buyer, long ms) {
    long pausedAt = Long.parseLong(world.sale("paused_at"));
    world.sent("HSET", world.keys().sale(), "paused_at", Long.toString(pausedAt - ms));
    String sid = buyer.session().value();
    String ends = Long.toString(world.score(world.keys().ready(), sid) - ms);
    world.sent("ZADD", world.keys().ready(), "XX", ends, sid);
    world.sent("HSET", world.keys().session(buyer.session()), "purchase_timeout_at", ends);
  }

  /// The end of the window as the buyer is told.
  private static long windowEnds(SaleWorld world, Buyer buyer) {
    String reply = world.scripts().status(List.of(buyer)).await().textAt(0);
    return Long.parseLong(reply.split("\\|", -1)[8]);
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
    assertThat(world.scripts().expire(10).await().missed()).isEqualTo(1);
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
