package fairgate.gate.ban;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.ban.CrowdsecFeed.CrowdsecClient.Decisions.GoDuration;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GoDurationTest {
  @ParameterizedTest
  @CsvSource({
    "3h59m, PT3H59M",
    "3h51m57.363171728s, PT3H51M57.363171728S",
    "1.5h, PT1H30M",
    "300ms, PT0.3S",
    "12us, PT0.000012S",
    "12µs, PT0.000012S",
    "7ns, PT0.000000007S",
    "-1.5s, PT-1.5S",
    "-1h30m, PT-1H-30M",
    "+2m, PT2M",
    "0, PT0S",
    "0s, PT0S",
    "876000h, PT876000H"
  })
  void goDurationsAreParsed(String text, Duration meant) {
    assertThat(GoDuration.parse(text)).isEqualTo(meant);
  }

  @Test
  void otherTextsAreRejected() {
    List<String> texts =
        List.of(
            "", "h", "3", "3x", "3h4", " 3h", "3h ", "3 h", "--3h", "3h-4m", "PT3H", "1e3s", ".5s");
    assertThat(texts).allMatch(text -> GoDuration.parse(text) == null);
  }
}
