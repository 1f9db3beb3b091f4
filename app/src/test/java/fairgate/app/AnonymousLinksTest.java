package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.config.ConfigReader;
import fairgate.app.config.FairgateConfig;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AnonymousLinksTest {
  private static final Map<String, String> SERVE = Map.of("REDIS_URL", "redis://redis.example");

  private static boolean allowed(Map<String, String> environment, Map<String, String> options) {
    FairgateConfig config =
        FairgateConfig.of(ConfigReader.read(Optional.empty(), environment, options));
    return Settings.links(config, true).anonymous();
  }

  @Test
  void serveAllowsAnonymousLinksOnlyByASetting() {
    assertThat(allowed(SERVE, Map.of())).isFalse();
    assertThat(allowed(SERVE, Map.of("links.anonymous", "on"))).isTrue();
  }

  @Test
  void upAllowsAnonymousLinksUnlessASettingForbidsThem() {
    assertThat(allowed(Map.of(), Map.of())).isTrue();
    assertThat(allowed(Map.of(), Map.of("links.anonymous", "off"))).isFalse();
  }
}
