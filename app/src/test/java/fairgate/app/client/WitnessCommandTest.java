package fairgate.app.client;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.Main;
import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.MerkleBuilder;
import fairgate.draw.tlog.SignedNote;
import fairgate.draw.tlog.SignerKey;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.VerifierKey;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The witness as its operator runs it.
class WitnessCommandTest {
  private static final SignerKey LOG =
      new SignerKey("shop.example/log", VerifierKey.Type.LOG, new byte[32]);

  @TempDir private Path folder;
  private final HttpClient client = HttpClient.newHttpClient();

  private static int run(StringWriter out, String... arguments) {
    return Main.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(out))
        .execute(arguments);
  }

  /// A witness in a thread of its own. Interrupting the thread stops it.
  private final class Running implements AutoCloseable {
    private final StringWriter out = new StringWriter();
    private final Thread thread =
        new Thread(
            () -> {
              int _ =
                  run(
                      out,
                      "witness",
                      "--name",
                      "witness.example/w",
                      "--log",
                      LOG.verifier().text(),
                      "--data",
                      folder.resolve("data").toString(),
                      "--port",
                      "0");
            });

    Running() {
      thread.start();
      Eventually.await("the witness is ready", () -> out.toString().contains("ready http://"));
    }

    private String line(String name) {
      return out.toString()
          .lines()
          .filter(each -> each.startsWith(name + " "))
          .findFirst()
          .orElseThrow()
          .substring(name.length() + 1);
    }

    HttpResponse<String> post(String body) throws IOException, InterruptedException {
      URI address = URI.create(line("ready") + "/add-checkpoint");
      return client.send(
          HttpRequest.newBuilder(address).POST(HttpRequest.BodyPublishers.ofString(body)).build(),
          HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
      thread.interrupt();
      Eventually.await("the witness has stopped", () -> !thread.isAlive());
    }
  }

  private static String request(long old, String leaf) {
    MerkleBuilder tree = new MerkleBuilder();
    tree.add(Merkle.leafHash(StrictText.bytes(leaf)));
    return "old " + old + "\n\n" + new Checkpoint("shop.example/log", tree.head()).signed(LOG);
  }

  @Test
  void aRestartedWitnessHasItsKeyAndItsMemory() throws Exception {
    String key;
    try (Running witness = new Running()) {
      key = witness.line("key");
      HttpResponse<String> cosigned = witness.post(request(0, "a"));
      assertThat(cosigned.statusCode()).isEqualTo(200);
      VerifierKey verifier = VerifierKey.parse(key, VerifierKey.Type.COSIGNATURE).orElseThrow();
      String checkpoint = request(0, "a").substring("old 0\n\n".length());
      SignedNote note =
          SignedNote.parse(StrictText.bytes(checkpoint + cosigned.body())).orElseThrow();
      assertThat(note.isForgedFor(verifier)).isFalse();
      assertThat(note.cosignedAt(verifier).count()).isEqualTo(1);
    }
    try (Running witness = new Running()) {
      assertThat(witness.line("key")).isEqualTo(key);
      assertThat(witness.post(request(0, "b")).statusCode()).isEqualTo(409);
      assertThat(witness.post(request(1, "a")).statusCode()).isEqualTo(200);
    }
    Path secret = folder.resolve("data/witness-key");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(secret)))
        .isEqualTo("rw-------");
  }

  @Test
  void wrongArgumentsAreExplained() {
    StringWriter out = new StringWriter();
    String data = folder.resolve("other").toString();
    assertThat(run(out, "witness", "--name", "a b", "--log", LOG.verifier().text(), "--data", data))
        .isNotZero();
    assertThat(run(out, "witness", "--name", "w", "--log", "nonsense", "--data", data)).isNotZero();
    assertThat(run(out, "witness", "--name", "w")).isNotZero();
    assertThat(out.toString()).contains("a b").contains("nonsense").contains("--log");
  }
}
