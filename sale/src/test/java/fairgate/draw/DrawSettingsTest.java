package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.platform.feature.Feature.Site;
import fairgate.platform.page.Brand;
import fairgate.platform.page.PageSettings;
import fairgate.platform.text.Language;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DrawSettingsTest {
  private static final PageSettings PAGES =
      new PageSettings(
          "TWD", ZoneOffset.UTC, false, List.of(), "", false, false, false, Brand.FAIRGATE);

  private static DrawSettings settings(
      String logName, String chainFile, String witness, int quorum, int roomSeconds) {
    return new DrawSettings(
        logName,
        List.of(),
        chainFile,
        "",
        30,
        List.of(witness),
        quorum,
        roomSeconds,
        Optional.empty());
  }

  private static DrawFeature.Config config(DrawSettings settings, String signInUrl) {
    return settings.config(new Site("", signInUrl, "", List.of(), false, true, Language.EN, PAGES));
  }

  @Test
  void logsHaveTheNameOfTheHostUnlessASettingNamesThem() {
    DrawSettings unnamed = settings("", "", "", 0, 90);
    assertThat(config(unnamed, "https://shop.example").logName())
        .isEqualTo("shop.example/fairgate");
    assertThat(config(unnamed, "").logName()).isEqualTo("localhost/fairgate");
    assertThat(config(settings("a.example/b", "", "", 0, 90), "").logName())
        .isEqualTo("a.example/b");
  }

  @Test
  void offersEndInTheTimeZoneOfTheShopUnlessASettingNamesAnother() {
    DrawFeature.Config config = config(settings("", "", "", 0, 90), "");
    assertThat(config.zone()).isEqualTo(ZoneOffset.UTC);
    assertThat(config.roomMargin()).isEqualTo(Duration.ofSeconds(90));
  }

  @Test
  void wrongSettingsAreNamed() {
    assertThatThrownBy(() -> config(settings("", "no-such-file", "", 0, 90), ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("draws.chain_file: no-such-file cannot be read");
    assertThatThrownBy(() -> config(settings("", "", "key", 0, 90), ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("draws.witnesses: not a key and an address: key");
    assertThatThrownBy(() -> config(settings("", "", "", 1, 90), ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("draws.witnesses: at most 32 different witnesses");
    assertThatThrownBy(() -> config(settings("", "", "", 1, 74), ""))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
