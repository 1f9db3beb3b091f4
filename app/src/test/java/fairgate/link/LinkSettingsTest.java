package fairgate.link;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.config.ConfigReader;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.ServeChecks;
import fairgate.link.LinkSettings.Guests;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LinkSettingsTest {
  private static FairgateConfig config(Map<String, String> options) {
    return FairgateConfig.of(ConfigReader.read(Optional.empty(), Map.of(), options));
  }

  private static LinkSettings links(Map<String, String> options) {
    return (LinkSettings)
        Objects.requireNonNull(config(options).features().byType().get(LinkSettings.class));
  }

  @Test
  void guestsSolveAChallengeUnlessTheyTryTheServerOnItsOwnMachine() {
    assertThat(links(Map.of()).guests(false)).isEqualTo(Guests.CHALLENGE);
    assertThat(links(Map.of()).guests(true)).isEqualTo(Guests.TRIAL);
  }

  @Test
  void aSettingDecidesAboutGuestsEverywhere() {
    for (Guests guests : new Guests[] {Guests.OPEN, Guests.CHALLENGE, Guests.OFF}) {
      Map<String, String> options = Map.of("links.guests", guests.name().toLowerCase(Locale.ROOT));
      assertThat(links(options).guests(false)).isEqualTo(guests);
      assertThat(links(options).guests(true)).isEqualTo(guests);
    }
  }

  @Test
  void serveWarnsOfGuestsWithoutAChallenge() {
    assertThat(ServeChecks.findings(config(Map.of("links.guests", "open"))))
        .anyMatch(finding -> finding.text().startsWith("links.guests: open lets programs"));
    assertThat(ServeChecks.findings(config(Map.of())))
        .noneMatch(finding -> finding.text().startsWith("links.guests: "));
  }
}
