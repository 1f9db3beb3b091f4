package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `serve` does not start with what is unsafe in public. A process, since settings come from its
/// environment.
@Timeout(60)
final class ServeCommandTest {
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin/java").toString();
  private static final Map<String, String> SAFE =
      Map.of(
          "FAIRGATE_MASTER_SECRET", "k1:" + "0f".repeat(32),
          "FAIRGATE_OPERATOR_TOKEN", "a-token-long-enough-for-anybody",
          "REDIS_URL", "redis://127.0.0.1:1",
          "DATABASE_URL", "postgresql://shop:secret@127.0.0.1:1/shop");

  /// What it says of these settings; it must end without having started.
  private static String refusal(Map<String, String> settings)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
                List.of(
                    JAVA,
                    "-XX:TieredStopAtLevel=1",
                    "--enable-native-access=ALL-UNNAMED",
                    "-cp",
                    System.getProperty("java.class.path"),
                    "fairgate.app.Main",
                    "serve",
                    "--port",
                    "0"))
            .redirectErrorStream(true);
    builder.environment().putAll(SAFE);
    builder.environment().putAll(settings);
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isEqualTo(2);
    assertThat(said).doesNotContain("ready http");
    return said;
  }

  @Test
  void itRefusesTheTestChallenge() throws IOException, InterruptedException {
    assertThat(refusal(Map.of("FAIRGATE_CHALLENGE", "test")))
        .contains("challenge.provider: test lets everybody in");
  }

  @Test
  void itRefusesTestKeys() throws IOException, InterruptedException {
    assertThat(
            refusal(
                Map.of(
                    "FAIRGATE_CHALLENGE", "turnstile",
                    "FAIRGATE_CHALLENGE_SITE_KEY", "1x00000000000000000000AA",
                    "FAIRGATE_CHALLENGE_SECRET", "1x0000000000000000000000000000000AA")))
        .contains("challenge.secret: a published test secret")
        .contains("challenge.site_key: a published test key")
        .doesNotContain("1x0000000000000000000000000000000AA");
    assertThat(
            refusal(
                Map.of(
                    "FAIRGATE_CHALLENGE", "hcaptcha",
                    "FAIRGATE_CHALLENGE_SITE_KEY", "10000000-ffff-ffff-ffff-000000000001",
                    "FAIRGATE_CHALLENGE_SECRET", "0x0000000000000000000000000000000000000000")))
        .contains("challenge.secret: a published test secret")
        .contains("challenge.site_key: a published test key");
  }

  @Test
  void itRefusesAWidgetWithoutKeys() throws IOException, InterruptedException {
    assertThat(refusal(Map.of("FAIRGATE_CHALLENGE", "turnstile")))
        .contains("challenge.secret: missing")
        .contains("challenge.site_key: missing");
  }
}
