package fairgate.app.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The purchase by hand of the README, pasted as it stands into a shell.
class ReadmePurchaseIT {
  private static final Pattern BLOCK =
      Pattern.compile("Then paste this block.*?```sh\n(.*?)```", Pattern.DOTALL);
  private static final String ADDRESS = "http://127.0.0.1:8080";

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void theBlockBuysAndPaysAUnitOfTheDemoSale() throws IOException {
    Matcher block = BLOCK.matcher(Files.readString(Path.of("../README.md")));
    assertThat(block.find()).isTrue();
    assertThat(block.group(1)).contains(ADDRESS);
    try (TestFairgate server = TestFairgate.start()) {
      // The demo sale of `up` has this id and this preset.
      server.createProduct("1", 5, "{\"preset\": \"flash\"}");
      server.openSale("1");
      Path script =
          Files.writeString(
              folder.resolve("block.sh"), block.group(1).replace(ADDRESS, server.baseUrl()));
      // The block does not repeat a call that a busy server refuses.
      Eventually.await(
          () -> output(script).lines().reduce("", (_, last) -> last).contains("\"paid\""));
    }
    assertThat(Files.readString(folder.resolve("output"), UTF_8))
        .contains("\"ready_to_purchase\"", "\"purchase_token\"");
  }

  /// The output of the script; of one that does not end within 30 s, the output until then.
  private String output(Path script) throws IOException, InterruptedException {
    Path output = folder.resolve("output");
    Process shell =
        new ProcessBuilder("bash", script.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!shell.waitFor(30, TimeUnit.SECONDS)) {
      shell.destroyForcibly().waitFor();
    }
    return Files.readString(output, UTF_8);
  }
}
