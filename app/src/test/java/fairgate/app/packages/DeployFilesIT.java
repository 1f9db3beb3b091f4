package fairgate.app.packages;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import fairgate.app.config.ConfigReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// The systemd unit, the compose file and the image, as far as they can be checked without systemd
/// and a container runtime.
class DeployFilesIT {
  private static final Path DEPLOY = Path.of("../deploy");

  /// `systemd-analyze` calls 2.0 and less "OK" or better; the highest is 10.
  private static final double EXPOSURE = 2.0;

  @Test
  @EnabledOnOs(OS.LINUX)
  void theUnitIsHardened() throws Exception {
    Process process =
        new ProcessBuilder(
                "systemd-analyze",
                "security",
                "--offline=true",
                "--no-pager",
                DEPLOY.resolve("fairgate.service").toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    Matcher exposure =
        Pattern.compile("Overall exposure level for fairgate.service: ([0-9.]+)").matcher(output);
    assertThat(exposure.find()).as(output).isTrue();
    assertThat(Double.parseDouble(exposure.group(1))).isLessThan(EXPOSURE);
  }

  /// The stop: the drain of five seconds, then at most ten for running requests.
  @Test
  void everyStopIsLongerThanTheDrain() throws IOException {
    assertThat(Files.readString(DEPLOY.resolve("fairgate.service"))).contains("TimeoutStopSec=25");
    JsonNode compose = new YAMLMapper().readTree(DEPLOY.resolve("compose.yaml").toFile());
    assertThat(compose.at("/services/fairgate/stop_grace_period").asText()).isEqualTo("25s");
  }

  @Test
  void theServerAcceptsEverySettingOfTheComposeFile() throws IOException {
    JsonNode compose = new YAMLMapper().readTree(DEPLOY.resolve("compose.yaml").toFile());
    Map<String, String> environment = new HashMap<>();
    compose
        .at("/services/fairgate/environment")
        .properties()
        .forEach(
            one ->
                environment.put(
                    one.getKey(), one.getValue().asText().replaceAll("\\$\\{\\w+:\\?}", "value")));
    environment.put("FAIRGATE_LINKS_BASE_URL", "https://tickets.example.com");
    assertThat(environment).containsKeys("REDIS_URL", "DATABASE_URL", "FAIRGATE_MASTER_SECRET");
    assertThat(ConfigReader.read(Optional.empty(), environment, Map.of())).isNotNull();
    String redis = compose.at("/services/redis/command").asText();
    assertThat(redis).contains("--appendonly yes", "--appendfsync always", "noeviction");
  }

  @Test
  void theUnitAndTheImageStartJavaAsTheLauncherDoes() throws IOException {
    String launcher = Files.readString(Path.of("../fairgate"));
    for (String option :
        new String[] {
          "-XX:MaxRAMPercentage=50",
          "-XX:+ExitOnOutOfMemoryError",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow"
        }) {
      assertThat(launcher).contains(option);
      assertThat(Files.readString(DEPLOY.resolve("fairgate.service"))).contains(option);
      assertThat(Files.readString(DEPLOY.resolve("Dockerfile"))).contains(option);
    }
  }
}
