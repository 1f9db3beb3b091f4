package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.config.ConfigReader;
import fairgate.app.config.FairgateConfig;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The shop's time zone is the default of the others.
class ShopTimeZoneTest {
  private static final ZoneId TAIPEI = ZoneId.of("Asia/Taipei");

  private static FairgateConfig config(Map<String, String> settings) {
    return FairgateConfig.of(
        ConfigReader.read(Optional.empty(), Map.of(), new HashMap<>(settings)));
  }

  @Test
  void oneSettingIsEnough() {
    FairgateConfig config = config(Map.of("shop.time_zone", "Asia/Taipei"));
    assertThat(Settings.redeem(config).orderSystem().zone()).isEqualTo(TAIPEI);
    assertThat(Settings.links(config, true).zone()).isEqualTo(TAIPEI);
    assertThat(Settings.pages(config).zone()).isEqualTo(TAIPEI);
  }

  @Test
  void aZoneOfItsOwnComesFirst() {
    FairgateConfig config =
        config(Map.of("shop.time_zone", "Asia/Taipei", "order_system.time_zone", "Asia/Tokyo"));
    assertThat(Settings.redeem(config).orderSystem().zone()).isEqualTo(ZoneId.of("Asia/Tokyo"));
  }
}
