package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class AuditCommandTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void withoutTheMasterSecretNothingIsVerifiedAndNoSecretIsCreated() throws IOException {
    Path data = folder.resolve("data");
    Path _ = Files.createDirectories(data.resolve("engines"));
    Path config = Files.writeString(folder.resolve("fairgate.yaml"), "demo: on\n");
    StringWriter out = new StringWriter();
    CommandLine commands = Main.commandLine();
    commands.setOut(new PrintWriter(out, true));
    commands.setErr(new PrintWriter(out, true));
    assertThat(
            commands.execute(
                "audit", "verify", "--config", config.toString(), "--data", data.toString()))
        .isOne();
    assertThat(out.toString()).contains("The master secret is missing").contains("master-secret");
    assertThat(data.resolve("secrets")).doesNotExist();
  }
}
