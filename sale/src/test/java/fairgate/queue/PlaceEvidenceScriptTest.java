package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.queue.PlaceEvidenceScript.Evidence;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class PlaceEvidenceScriptTest {
  private static final Evidence NO_PLACE = new Evidence(Optional.empty(), -1, -1);

  private final SaleWorld world = SaleWorld.open(10, "capacity 2");
  private final PlaceEvidenceScript script =
      new PlaceEvidenceScript(world.redis(), SaleKeys.Style.PLAIN);

  private Evidence remember(Buyer buyer, String hash) {
    return script.remember(world.product(), buyer.session(), hash).await();
  }

  private Evidence of(Buyer buyer) {
    return script.of(world.product(), buyer.session()).await();
  }

  @Test
  void theFirstKeyOfAPlaceStays() {
    Buyer buyer = world.ready();
    assertThat(of(buyer).keyHash()).isEmpty();
    assertThat(remember(buyer, "first").keyHash()).contains("first");
    assertThat(remember(buyer, "second").keyHash()).contains("first");
    assertThat(of(buyer).keyHash()).contains("first");
    assertThat(world.send("TTL", world.keys().session(buyer.session())).number()).isPositive();
  }

  @Test
  void placesReadInOneRunKeepTheirKeysApart() {
    Buyer one = world.ready();
    Buyer two = world.buyer();
    assertThat(world.join(two)).singleElement().asString().startsWith("JOINED");
    ProductId product = world.product();
    List<Evidence> found =
        Future.all(
                script.remember(product, one.session(), "first"),
                script.of(product, world.buyer().session()),
                script.remember(product, two.session(), "second"),
                script.of(product, one.session()))
            .await()
            .list();
    assertThat(found.get(0).keyHash()).contains("first");
    assertThat(found.get(1)).isEqualTo(NO_PLACE);
    assertThat(found.get(2).keyHash()).contains("second");
    assertThat(found.get(3).keyHash()).contains("first");
  }

  @Test
  void aPlaceTellsItsTimeSinceTheJoinAndSinceItsTurn() {
    Buyer ready = world.ready();
    Buyer waiting = world.buyer();
    assertThat(world.join(waiting)).singleElement().asString().startsWith("JOINED");
    assertThat(of(waiting).sinceJoin()).isNotNegative();
    assertThat(of(waiting).sinceTurn()).isEqualTo(-1);
    String session = world.keys().session(ready.session());
    long now = world.now();
    world.sent("HSET", session, "verified_at", Long.toString(now - 90_000));
    world.sent("HSET", session, "purchase_ready_at", Long.toString(now - 5_000));
    assertThat(of(ready).sinceJoin()).isBetween(90_000L, 90_000L + 60_000);
    assertThat(of(ready).sinceTurn()).isBetween(5_000L, 5_000L + 60_000);
  }

  @Test
  void aClockThatSteppedBackGivesNoNegativeTimes() {
    Buyer ready = world.ready();
    String session = world.keys().session(ready.session());
    String ahead = Long.toString(world.now() + 3_600_000);
    world.sent("HSET", session, "verified_at", ahead, "purchase_ready_at", ahead);
    assertThat(of(ready)).isEqualTo(new Evidence(Optional.empty(), 0, 0));
  }

  @Test
  void aPlaceThatDoesNotExistGetsNoKey() {
    Map<String, String> before = world.dump();
    assertThat(remember(world.buyer(), "first")).isEqualTo(NO_PLACE);
    assertThat(of(world.buyer())).isEqualTo(NO_PLACE);
    assertThat(world.dump()).isEqualTo(before);
  }
}
