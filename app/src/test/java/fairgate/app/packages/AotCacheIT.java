package fairgate.app.packages;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.ServerProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The cache for fast starts: a training that sells units, as `up` and `aot-cache` run it.
@Timeout(300)
class AotCacheIT {
  private static String run(List<String> options, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.addAll(options);
    command.addAll(List.of("-jar", ServerProcess.jar()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    return output;
  }

  @Test
  void aLaterProcessStartsWithTheCacheOfATraining(@TempDir Path folder) throws Exception {
    Path cache = folder.resolve("fairgate.aot");
    assertThat(run(List.of("-XX:AOTCacheOutput=" + cache), "aot-training", "--seconds", "3"))
        .containsPattern("Trained with \\d+ calls, [1-9]\\d* purchases");
    assertThat(cache).exists();
    assertThat(run(List.of("-XX:AOTMode=on", "-XX:AOTCache=" + cache), "--version")).isNotEmpty();
  }
}
