package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.draw.verify.DrawVerifier;
import fairgate.draw.verify.TarFiles;
import fairgate.draw.verify.Verdict;
import fairgate.draw.verify.VerdictCode;
import fairgate.draw.verify.VerifyRequest;
import fairgate.testkit.Eventually;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A draw with many entries: `-Dfairgate.draws.entries=1000000`. Prints times; machines differ, so
/// they are not asserted. `-Dfairgate.draws.bundle=FILE` keeps the record.
@Timeout(1_800)
@Tag("proof")
class DrawScaleIT {
  private static final int FILLED_PER_SECOND = 10_000;

  @TempDir private Path folder;

  @Test
  void aLargeDrawIsDecidedAndItsRecordIsRight() throws Exception {
    int entries = Integer.getInteger("fairgate.draws.entries", 5_000);
    Path bundle =
        Path.of(System.getProperty("fairgate.draws.bundle", folder.resolve("b.tar").toString()));
    try (DrawScene scene = DrawScene.start(folder, 0)) {
      int window = 120 + entries / FILLED_PER_SECOND;
      scene.announce(1_000, 60, window, 120, "");
      scene.skipTo("opens_at");
      scene.await("open");
      time("filled", () -> scene.fill(entries));
      scene.skipTo("closes_at");
      scene.await("sealed");
      scene.skipTo("draws_at");
      time(
          "beacon to published result",
          () ->
              Eventually.await(
                  "the order is public", () -> !"sealed".equals(scene.draw().get("state"))));
      time("bundle.tar written", () -> download(scene, bundle));
      time("checked by the Java verifier", () -> check(scene, bundle, entries));
    }
  }

  private interface Work {
    void run() throws Exception;
  }

  private static void time(String what, Work work) throws Exception {
    long from = System.nanoTime();
    work.run();
    System.out.printf("%s: %d ms%n", what, (System.nanoTime() - from) / 1_000_000);
  }

  private static void download(DrawScene scene, Path file) throws Exception {
    URI address = URI.create(scene.server().baseUrl() + "/draws/" + DrawScene.DRAW + "/bundle.tar");
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request = HttpRequest.newBuilder(address).timeout(Duration.ofMinutes(10)).build();
      HttpResponse<Path> response = client.send(request, HttpResponse.BodyHandlers.ofFile(file));
      assertThat(response.statusCode()).isEqualTo(200);
    }
  }

  private static void check(DrawScene scene, Path file, int entries) throws Exception {
    try (TarFiles files = TarFiles.open(file).orElseThrow()) {
      Verdict verdict =
          DrawVerifier.verify(
              VerifyRequest.everything(files, Set.of(scene.chain()), Clock.systemUTC()));
      assertThat(verdict.code()).as(verdict.detail()).isEqualTo(VerdictCode.OK);
      assertThat(verdict.size()).contains((long) entries);
    }
  }
}
