package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.testkit.Eventually;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// `up` writes the cache for fast starts while it serves, with a training that sells units.
@Timeout(180)
class AotCacheIT {

  private static List<String> java(String... options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.addAll(List.of(options));
    command.addAll(List.of("-jar", ServerProcess.jar()));
    return command;
  }

  @Test
  void aLaterProcessStartsWithTheCacheThatUpWrites(@TempDir Path folder) throws Exception {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path cache = folder.resolve("fairgate.aot");
    Path data = folder.resolve("data");
    List<String> up = java("-Dfairgate.aot-cache=" + cache);
    up.addAll(List.of("up", "--port", "0", "--no-demo", "--data", data.toString()));
    Path log = folder.resolve("log");
    Process server =
        new ProcessBuilder(up).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      Eventually.await("the cache", () -> Files.exists(cache) || !server.isAlive());
    } finally {
      server.destroy();
      assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(cache).as(Files.readString(log)).exists();

    List<String> version = java("-XX:AOTMode=on", "-XX:AOTCache=" + cache);
    version.add("--version");
    Process later = new ProcessBuilder(version).redirectErrorStream(true).start();
    String output = new String(later.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(later.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(later.exitValue()).as(output).isZero();
  }
}
