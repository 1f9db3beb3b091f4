package fairgate.queue;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.queue.QueueScripts.StatusScript;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What is said of who waits is what `status.lua` says.
final class RankScriptTest {
  private final SaleWorld world = SaleWorld.open(10, "capacity 3");
  private final RankScript script = new RankScript(world.redis());
  private final StatusScript status = new StatusScript(world.redis());

  private Optional<Place> rank(Buyer buyer) {
    return script
        .run(script.shared(world.keys()), world.product(), buyer.session())
        .await()
        .map(Place.View::place);
  }

  /// Everything the world is told of a place.
  private static Map<String, Object> told(Place place) {
    return Map.of(
        "json",
            new String(PlaceJson.bytes(new Place.View(place, null, 0), Map.of()), UTF_8)
                .replace(clock(place), "")
                .replace(life(place), ""),
        "epoch", place.epoch(),
        "token", place.tokenRequired());
  }

  private static String life(Place place) {
    return "\"session_expires_at\":" + (place.now() + place.sessionLife().toMillis());
  }

  private static String clock(Place place) {
    return "\"server_time\":" + place.now();
  }

  private void isAsStatusSays(Buyer buyer) {
    Map<String, String> before = world.dump();
    Place place = rank(buyer).orElseThrow();
    assertThat(world.dump()).isEqualTo(before);
    assertThat(place.now()).isBetween(world.now() - 10_000, world.now());
    assertThat(told(place)).isEqualTo(told(status.run(buyer.session()).await().orElseThrow()));
  }

  @Test
  void whoWaitsIsToldTheSame() {
    List<Buyer> all = world.buyers(6);
    assertThat(world.join(all)).hasSize(6);
    all.forEach(this::isAsStatusSays);
    assertThat(world.admit().at(1).number()).isEqualTo(3);
    all.subList(3, 6).forEach(this::isAsStatusSays);
    world.sent("HSET", world.keys().sale(), "turn_ms", "1250.5");
    isAsStatusSays(all.get(5));
    assertThat(world.configure("paused")).isEqualTo("APPLIED");
    isAsStatusSays(all.get(5));
  }

  @Test
  void aLookAtThePositionAloneNotesThatTheServiceCanBeReached() {
    SaleWorld sale = SaleWorld.open(1, "presence_ms 60000");
    Buyer buyer = sale.buyer();
    assertThat(sale.join(buyer)).hasSize(1);
    Place place =
        script
            .run(script.shared(sale.keys()), sale.product(), buyer.session())
            .await()
            .get()
            .place();
    assertThat(place.presenceMs()).isEqualTo(60_000);
    assertThat(Long.parseLong(sale.sale("contact_at"))).isEqualTo(place.now());
    assertThat(sale.sale("reachable_since")).isEqualTo(sale.sale("contact_at"));
  }

  @Test
  void ofAllOthersNothingIsSaid() {
    List<Buyer> all = world.buyers(5);
    assertThat(world.join(all)).hasSize(5);
    assertThat(world.admit().at(1).number()).isEqualTo(3);
    assertThat(rank(all.get(0))).isEmpty();
    assertThat(rank(all.get(2))).isEmpty();
    assertThat(rank(world.buyer())).isEmpty();
    assertThat(rank(all.get(3))).isPresent();
    assertThat(world.configure("open", "closes_at " + (world.now() - 1))).isEqualTo("APPLIED");
    assertThat(rank(all.get(3))).isEmpty();
    world.sent("DEL", world.keys().sale());
    assertThat(rank(all.get(3))).isEmpty();
  }
}
