package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The stand-alone Python verifier of draws, on the vectors and recorded draws beside it.
@Timeout(300)
class PythonDrawVerifierIT {
  private static final Path DRAW = Path.of("..", "deploy", "draw");

  private record Run(int status, String output) {}

  @Test
  void itAgreesWithTheVectorsAndCatchesEveryCheat() throws Exception {
    Run run = python("vectors/check.py");
    assertThat(run.output()).endsWith(" 0 failed\n").doesNotContain("\n0 passed");
    assertThat(run.status()).isZero();
  }

  @Test
  void damagedFilesGetAVerdict() throws Exception {
    Run run = python("vectors/check.py", "fuzz", "3", "100");
    assertThat(run.output()).endsWith(" 0 failed\n").doesNotContain("\n0 passed");
  }

  @Test
  void otherFilesAndWrongUsageHaveTheirOwnStatus() throws Exception {
    Run other = python("verify_draw.py", "--lang", "zh-Hant", "verify_draw.py");
    assertThat(other.status()).isEqualTo(2);
    assertThat(other.output()).contains("malformed_bundle", "這個檔案不是抽籤紀錄");
    assertThat(python("verify_draw.py", "--lang", "en", "no-such-file").output())
        .contains("unreachable");
    assertThat(python("verify_draw.py").status()).isEqualTo(64);
    assertThat(python("verify_draw.py", "verify_draw.py", "--chain", "zz").status()).isEqualTo(64);
    assertThat(python("verify_draw.py", "verify_draw.py", "--log-key", "x").status()).isEqualTo(64);
    assertThat(python("verify_draw.py", "http://127.0.0.1:1/q/x", "--receipt", "mine").output())
        .contains("a waiting room has no --receipt");
    assertThat(python("verify_draw.py", "http://127.0.0.1:1/draws/x", "--ticket", "3").output())
        .contains("a draw has --receipt");
    assertThat(python("verify_draw.py", "--lang", "en", "http://127.0.0.1:1/draws/x").output())
        .contains("unreachable");
  }

  private static Run python(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("python3"));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).directory(DRAW.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(240, TimeUnit.SECONDS)).isTrue();
    return new Run(process.exitValue(), output);
  }
}
