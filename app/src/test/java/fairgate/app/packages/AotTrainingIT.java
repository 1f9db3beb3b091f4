package fairgate.app.packages;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `aot-training` in a process of its own: it sells units and leaves nothing behind. That Java
/// writes a cache needs the jar, which tests do not have.
@Timeout(180)
class AotTrainingIT {
  @Test
  void theTrainingSellsUnitsAndEnds() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                "fairgate.app.Main",
                "aot-training",
                "--seconds",
                "5")
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    assertThat(output).containsPattern("Trained with \\d+ calls, [1-9]\\d* purchases");
  }
}
