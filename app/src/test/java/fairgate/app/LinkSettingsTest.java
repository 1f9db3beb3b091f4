package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.config.ConfigReader;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.ServeChecks;
import fairgate.link.LinkFeature;
import fairgate.link.LinkFeature.Config.Guests;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LinkSettingsTest {
  private static final Map<String, String> SERVE = Map.of("REDIS_URL", "redis://redis.example");

  private static FairgateConfig config(
      Map<String, String> environment, Map<String, String> options) {
    return FairgateConfig.of(ConfigReader.read(Optional.empty(), environment, options));
  }

  private static LinkFeature.Config links(
      Map<String, String> environment, Map<String, String> options) {
    return Settings.links(config(environment, options), true);
  }

  private static Guests guests(Map<String, String> environment, String setting) {
    return links(environment, Map.of("links.guests", setting)).guests();
  }

  @Test
  void guestsSolveAChallengeUnlessTheyTryTheServerOnItsOwnMachine() {
    assertThat(links(SERVE, Map.of()).guests()).isEqualTo(Guests.CHALLENGE);
    assertThat(links(Map.of(), Map.of()).guests()).isEqualTo(Guests.TRIAL);
  }

  @Test
  void aSettingDecidesAboutGuestsEverywhere() {
    for (Map<String, String> environment : List.of(SERVE, Map.<String, String>of())) {
      assertThat(guests(environment, "open")).isEqualTo(Guests.OPEN);
      assertThat(guests(environment, "challenge")).isEqualTo(Guests.CHALLENGE);
      assertThat(guests(environment, "off")).isEqualTo(Guests.OFF);
    }
    Map<String, String> open = Map.of("links.guests", "open");
    assertThat(ServeChecks.findings(config(SERVE, open)))
        .anyMatch(finding -> finding.text().startsWith("links.guests: "));
    assertThat(ServeChecks.findings(config(SERVE, Map.of())))
        .noneMatch(finding -> finding.text().startsWith("links.guests: "));
  }

  @Test
  void allConfiguredAddressesOfTheServerAreItsOwn() {
    LinkFeature.Config links =
        links(
            SERVE,
            Map.of(
                "links.base_url", "https://go.example/",
                "sign_in.base_url", "https://tickets.example",
                "operators.base_url", "https://console.example",
                "line.shop_url", "https://line.example"));
    assertThat(links.baseUrl()).isEqualTo("https://go.example");
    assertThat(links.ownUrls())
        .containsExactly(
            "https://tickets.example", "https://console.example", "https://line.example");
  }
}
