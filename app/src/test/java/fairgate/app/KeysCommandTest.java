package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.config.MasterSecret;
import fairgate.kernel.KeyRing;
import fairgate.platform.feature.Secret;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class KeysCommandTest {
  private static final String OLD = "k1:" + "00".repeat(32);

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private final StringWriter out = new StringWriter();

  private int run(String... arguments) {
    CommandLine commands = Main.commandLine();
    commands.setOut(new PrintWriter(out, true));
    commands.setErr(new PrintWriter(out, true));
    return commands.execute(arguments);
  }

  private Path config(String text) throws IOException {
    return Files.writeString(folder.resolve("fairgate.yaml"), text);
  }

  @Test
  void aNewKeyIsAddedInFrontOfTheStoredOnes() throws IOException {
    Path file = Files.createDirectories(folder.resolve("data/secrets")).resolve("master-secret");
    Files.writeString(file, OLD + "\n");
    String data = folder.resolve("data").toString();
    Path empty = config("demo: on\n");
    assertThat(run("keys", "rotate", "--config", empty.toString(), "--data", data)).isZero();
    assertThat(run("keys", "rotate", "--config", empty.toString(), "--data", data)).isZero();
    KeyRing ring = MasterSecret.ring(new Secret(Files.readString(file).strip()));
    assertThat(ring.ids()).hasSize(3).contains("k1");
    assertThat(ring.current()).isNotEqualTo("k1");
    assertThat(out.toString()).doesNotContain("00".repeat(8));
  }

  @Test
  void aConfiguredKeyIsPrintedWithANewOneInFront() throws IOException {
    Path file = config("master_secret: \"" + OLD + "\"\n");
    assertThat(run("keys", "rotate", "--config", file.toString())).isZero();
    String printed = out.toString().strip();
    assertThat(printed).endsWith("," + OLD);
    assertThat(MasterSecret.ring(new Secret(printed)).ids()).hasSize(2);
  }

  @Test
  void withoutAKeyARotationFails() throws IOException {
    Path empty = config("demo: on\n");
    assertThat(run("keys", "rotate", "--config", empty.toString(), "--data", folder.toString()))
        .isEqualTo(1);
    assertThat(out.toString()).contains("there are no keys");
  }
}
