package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import fairgate.TestEngines;
import fairgate.app.command.FailureText;
import fairgate.sale.ledger.LedgerFixture;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class FailureTextTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void failuresOfFilesNameTheFileAndTheProblem() {
    assertThat(FailureText.of(new FileSystemException("/d/f", null, "No space left on device")))
        .isEqualTo("/d/f: No space left on device");
    assertThat(FailureText.of(new AccessDeniedException("/d/f")))
        .isEqualTo("/d/f: this user may not read or write it");
    assertThat(FailureText.of(new IOException("Broken pipe"))).isEqualTo("Broken pipe");
  }

  @Test
  void aCommandWithAnUnusableFileReportsItInOneLine() throws IOException {
    Path notAFolder = Files.writeString(folder.resolve("data"), "a file");
    Path config = Files.writeString(folder.resolve("fairgate.yaml"), "demo: on\n");
    StringWriter out = new StringWriter();
    CommandLine commands = Main.commandLine();
    commands.setOut(new PrintWriter(out, true));
    commands.setErr(new PrintWriter(out, true));
    assertThat(
            commands.execute(
                "up",
                "--config",
                config.toString(),
                "--port",
                "0",
                "--data",
                notAFolder.toString()))
        .isOne();
    assertThat(out.toString().strip()).contains(notAFolder.toString()).doesNotContain("Exception");
    assertThat(out.toString().strip().lines()).hasSize(1);
  }

  @Test
  void aDamagedPageIsReportedWithAdvice() throws Exception {
    StringWriter out = new StringWriter();
    CommandLine command = Main.commandLine();
    command.setErr(new PrintWriter(out, true));
    String damage =
        "DO $$ BEGIN RAISE EXCEPTION 'invalid page in block 0 of relation base/1/2' USING ERRCODE"
            + " = 'XX001'; END $$";
    try (LedgerFixture books = LedgerFixture.fresh(TestEngines.shared())) {
      Throwable failure = catchThrowable(() -> books.query(damage));
      assertThat(Main.explain((Exception) failure, command)).isOne();
    }
    assertThat(out.toString().strip().lines())
        .containsExactly(
            "PostgreSQL: invalid page in block 0 of relation base/1/2 (XX001)",
            "The database is damaged. Stop everything, copy the data, and restore a backup; check"
                + " the disk and the memory of this machine.");
  }

  @Test
  void unexpectedFailuresOfFilesHaveNoStackTrace() throws Exception {
    StringWriter out = new StringWriter();
    CommandLine command = Main.commandLine();
    command.setErr(new PrintWriter(out, true));
    UncheckedIOException failure =
        new UncheckedIOException(new FileSystemException("/d/f", null, "Read-only file system"));
    assertThat(Main.explain(failure, command)).isOne();
    assertThat(out.toString().strip()).isEqualTo("/d/f: Read-only file system");
  }

  @CommandLine.Command(name = "broken")
  private static final class Broken implements Callable<Integer> {
    @Override
    public Integer call() {
      throw new ExceptionInInitializerError("no class");
    }
  }

  /// With an exception out of `main`, other threads would keep the process alive.
  @Test
  void anErrorEndsTheProcessToo() {
    StringWriter out = new StringWriter();
    CommandLine command = new CommandLine(new Broken());
    command.setErr(new PrintWriter(out, true));
    assertThat(Main.run(command)).isOne();
    assertThat(out.toString()).contains("ExceptionInInitializerError: no class");
  }
}
