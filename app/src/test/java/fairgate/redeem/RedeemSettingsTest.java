package fairgate.redeem;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.config.ConfigReader;
import fairgate.app.config.FairgateConfig;
import fairgate.platform.feature.Feature.Site;
import fairgate.platform.page.Brand;
import fairgate.platform.page.PageSettings;
import fairgate.platform.text.Language;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RedeemSettingsTest {
  private static final ZoneId TAIPEI = ZoneId.of("Asia/Taipei");

  private static FairgateConfig.Features features(Map<String, String> options) {
    return FairgateConfig.of(ConfigReader.read(Optional.empty(), Map.of(), options)).features();
  }

  private static RedeemConfig config(Map<String, String> options) {
    RedeemSettings settings = (RedeemSettings) features(options).byType().get(RedeemSettings.class);
    PageSettings pages =
        new PageSettings("TWD", TAIPEI, false, List.of(), "", true, true, true, Brand.FAIRGATE);
    return Objects.requireNonNull(settings)
        .config(new Site("", "", "http://shop.example", List.of(), true, true, Language.EN, pages));
  }

  @Test
  void theShopsTimeZoneIsTheDefaultOfTheOrderSystem() {
    assertThat(config(Map.of()).orderSystem().zone()).isEqualTo(TAIPEI);
    assertThat(config(Map.of("order_system.time_zone", "Asia/Tokyo")).orderSystem().zone())
        .isEqualTo(ZoneId.of("Asia/Tokyo"));
  }

  @Test
  void keysOfSignaturesHaveAnIdAndASecret() {
    assertThat(config(Map.of("redeem.signature_keys", "a:secret,b:x:y")).signature().keys())
        .isEqualTo(Map.of("a", "secret", "b", "x:y"));
    for (String bad : List.of("secret", ":secret", "a:", "a:secret,b")) {
      assertThat(features(Map.of("redeem.signature_keys", bad)).problems(false))
          .as(bad)
          .containsExactly("redeem.signature_keys: expected id:secret, separated by commas");
    }
  }

  @Test
  void requiredSignaturesNeedAKey() {
    assertThat(features(Map.of()).problems(false)).isEmpty();
    assertThat(features(Map.of("redeem.signature", "on")).problems(false))
        .containsExactly("redeem.signature_keys: redeem.signature needs at least one");
  }
}
