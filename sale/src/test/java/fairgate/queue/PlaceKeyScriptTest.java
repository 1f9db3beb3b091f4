package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.catalog.SaleKeys;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class PlaceKeyScriptTest {
  private final SaleWorld world = SaleWorld.open(10, "capacity 2");
  private final PlaceKeyScript script = new PlaceKeyScript(world.redis(), SaleKeys.Style.PLAIN);

  private Optional<String> remember(Buyer buyer, String hash) {
    return script.remember(world.product(), buyer.session(), hash).await();
  }

  private Optional<String> of(Buyer buyer) {
    return script.of(world.product(), buyer.session()).await();
  }

  @Test
  void theFirstKeyOfAPlaceStays() {
    Buyer buyer = world.ready();
    assertThat(of(buyer)).isEmpty();
    assertThat(remember(buyer, "first")).contains("first");
    assertThat(remember(buyer, "second")).contains("first");
    assertThat(of(buyer)).contains("first");
    assertThat(world.send("TTL", world.keys().session(buyer.session())).number()).isPositive();
  }

  @Test
  void aPlaceThatDoesNotExistGetsNoKey() {
    Map<String, String> before = world.dump();
    assertThat(remember(world.buyer(), "first")).isEmpty();
    assertThat(of(world.buyer())).isEmpty();
    assertThat(world.dump()).isEqualTo(before);
  }
}
