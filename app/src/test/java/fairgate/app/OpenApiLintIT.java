package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.pages.docs.ApiDescription;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The served description passes common linters without an error.
final class OpenApiLintIT {
  private static final long SECONDS = 300;

  private final Path folder;
  private final Path description;

  OpenApiLintIT(@TempDir Path folder) throws IOException {
    this.folder = folder;
    this.description = Files.write(folder.resolve("openapi.yaml"), ApiDescription.load().yaml());
  }

  @Test
  void redoclyFindsNoError() throws Exception {
    run("@redocly/cli@1.34.3", "redocly", "lint", description.toString());
  }

  @Test
  void spectralFindsNoError() throws Exception {
    Path rules = Files.writeString(folder.resolve("rules.yaml"), "extends: [\"spectral:oas\"]\n");
    run(
        "@stoplight/spectral-cli@6.15.0",
        "spectral",
        "lint",
        description.toString(),
        "--ruleset=" + rules,
        "--fail-severity=error",
        "--display-only-failures");
  }

  private void run(String npmPackage, String... command) throws Exception {
    List<String> line =
        new ArrayList<>(
            List.of("npm", "exec", "--yes", "--prefer-offline", "--package=" + npmPackage, "--"));
    line.addAll(List.of(command));
    Path output = folder.resolve("output");
    ProcessBuilder linter =
        new ProcessBuilder(line)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    linter.environment().put("REDOCLY_TELEMETRY", "off");
    Process process;
    try {
      process = linter.start();
    } catch (IOException e) {
      throw new AssertionError("npm is missing: install Node.js with npm (apt-get install npm)", e);
    }
    boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
    if (!ended) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    String said = Files.readString(output, StandardCharsets.UTF_8);
    assertThat(ended).as("%s did not end in %d s%n%s", npmPackage, SECONDS, said).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
  }
}
