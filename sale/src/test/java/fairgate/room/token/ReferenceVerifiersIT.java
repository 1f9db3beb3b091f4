package fairgate.room.token;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.room.token.RoomTokens.TokenOutcome.Valid;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The verifiers of `deploy/verify` agree with this server about every vector. Run with
/// `-Dfairgate.docs.write=true` to make new vectors.
@Timeout(120)
class ReferenceVerifiersIT {
  private static final Path VERIFY = Path.of("../deploy/verify");
  private static final Path VECTORS = VERIFY.resolve("vectors/vectors.json");

  @BeforeAll
  static void write() throws IOException {
    if (Boolean.getBoolean("fairgate.docs.write")) {
      Files.writeString(VECTORS, VerifierVectors.document());
    }
  }

  private static List<VerifierVectors.Pair> passes() throws IOException {
    List<VerifierVectors.Pair> passes = new ArrayList<>();
    for (JsonNode pass : new ObjectMapper().readTree(VECTORS.toFile()).get("passes")) {
      passes.add(
          new VerifierVectors.Pair(
              pass.get("name").asText(),
              pass.get("token").asText(),
              pass.get("expected").asText()));
    }
    return passes;
  }

  @Test
  void theServerGivesTheVerdictsOfTheVectors() throws IOException {
    Map<String, String> different = new TreeMap<>();
    for (VerifierVectors.Pair pass : passes()) {
      boolean valid = false;
      for (RoomTokens.Algorithm algorithm : RoomTokens.Algorithm.values()) {
        RoomTokens.Scope scope =
            new RoomTokens.Scope(VerifierVectors.ROOM, VerifierVectors.EPOCH, algorithm);
        valid |=
            VerifierVectors.TOKENS.verify(
                    RoomTokens.Type.PASS, scope, pass.token(), VerifierVectors.NOW)
                instanceof Valid;
      }
      // The server asks its own list for revoked passes.
      boolean expected = List.of("ok", "revoked").contains(pass.expected());
      if (valid != expected) {
        different.put(pass.name(), "valid here: " + valid);
      }
    }
    assertThat(different).isEmpty();
  }

  /// A fresh set has the same cases: a case that was added is missing from no file.
  @Test
  void theVectorsAreComplete() throws IOException {
    assertThat(passes().stream().map(pass -> pass.name() + ": " + pass.expected()))
        .containsExactlyElementsOf(
            new VerifierVectors()
                .passes().stream().map(pass -> pass.name() + ": " + pass.expected()).toList());
  }

  @Test
  void theJavaScriptVerifierGivesTheVerdictsOfTheVectors() throws Exception {
    assertThat(run("node", "check.mjs")).endsWith(" 0 failed\n").doesNotStartWith("0 passed");
  }

  @Test
  void theEdgeWorkerAdmitsValidPassesOnly() throws Exception {
    assertThat(run("node", "check-worker.mjs"))
        .endsWith(" 0 failed\n")
        .doesNotStartWith("0 passed");
  }

  @Test
  void thePythonVerifierGivesTheVerdictsOfTheVectors() throws Exception {
    assertThat(run("python3", "check.py")).endsWith(" 0 failed\n").doesNotStartWith("0 passed");
  }

  @Test
  void thePhpVerifierGivesTheVerdictsOfTheVectors() throws Exception {
    assertThat(run("php", "check.php")).endsWith(" 0 failed\n").doesNotStartWith("0 passed");
  }

  @Test
  void theJavaVerifierGivesTheVerdictsOfTheVectors(@TempDir Path out) throws Exception {
    String bin = System.getProperty("java.home") + "/bin/";
    assertThat(
            run(
                bin + "javac",
                "-Xlint:all",
                "-d",
                out.toString(),
                "../FairgateVerify.java",
                "Check.java"))
        .isEmpty();
    assertThat(run(bin + "java", "-cp", out.toString(), "Check", "vectors.json"))
        .endsWith(" 0 failed\n")
        .doesNotStartWith("0 passed");
  }

  private static String run(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .directory(VERIFY.resolve("vectors").toFile())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return output;
  }
}
