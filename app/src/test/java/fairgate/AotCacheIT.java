package fairgate;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.ServerProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The cache for fast starts: a training that sells units, as `up` and `aot-cache` run it. The
/// program's processes of later tests start with the cache.
@Timeout(300)
class AotCacheIT {
  private static String run(List<String> options, String... arguments) throws Exception {
    List<String> command = ServerProcess.command(arguments);
    command.addAll(1, options);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    return output;
  }

  @Test
  void aLaterProcessStartsWithTheCacheOfATraining() throws Exception {
    Path cache = ServerProcess.aotCache();
    boolean _ = Files.deleteIfExists(cache);
    Path unfinished = cache.resolveSibling("unfinished.aot");
    assertThat(run(List.of("-XX:AOTCacheOutput=" + unfinished), "aot-training", "--seconds", "3"))
        .containsPattern("Trained with \\d+ calls, [1-9]\\d* purchases");
    Files.move(unfinished, cache, StandardCopyOption.ATOMIC_MOVE);
    assertThat(run(List.of("-XX:AOTMode=on"), "--version")).isNotEmpty();
  }
}
