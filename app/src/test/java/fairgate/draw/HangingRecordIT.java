package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.platform.run.BlockingWork;
import fairgate.testkit.Eventually;
import io.vertx.core.Future;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The public record while PostgreSQL keeps its connections and answers nothing: the waits of
/// parallel readers do not add up.
@Timeout(600)
class HangingRecordIT {
  private static final int READERS = 6;

  /// Twice the deadline of a request and some time for a busy machine. One reader after the other
  /// would take more than 36 seconds.
  private static final Duration LONGEST = Duration.ofSeconds(30);

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void everyReaderIsToldToComeBackWithinItsOwnDeadline() throws Exception {
    try (TestEngines engines = TestEngines.privateEngines();
        DrawScene scene = DrawScene.start(engines, folder)) {
      scene.announce(20, 120, 120, 120, "");
      scene.awaitFile("rules.tlog-proof");
      String draw = "/draws/" + DrawScene.DRAW;
      for (String path : List.of(draw + "/bundle.tar", "/log/checkpoint")) {
        assertThat(scene.server().callUntilAccepted("GET", path, "").statusCode()).isEqualTo(200);
        engines.pausePostgres();
        try {
          readersComeBack(scene, path);
        } finally {
          engines.resumePostgres();
        }
        var _ =
            Eventually.get(
                path + " is there again",
                () -> scene.server().call("GET", path, ""),
                answer -> answer.statusCode() == 200);
      }
    }
  }

  private static void readersComeBack(DrawScene scene, String path) {
    // The checkpoint in memory may be a second old.
    Eventually.await(
        path + " is not in memory any more",
        () -> scene.server().call("GET", path, "").statusCode() == 503);
    long begun = System.nanoTime();
    List<Future<HttpResponse<String>>> readers = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      readers.add(BlockingWork.call("reader", () -> scene.server().call("GET", path, "")));
    }
    for (Future<HttpResponse<String>> reader : readers) {
      HttpResponse<String> answer = reader.await();
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
      assertThat(answer.headers().firstValue("retry-after")).isPresent();
      assertThat(answer.headers().firstValue("access-control-allow-origin")).contains("*");
    }
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LONGEST);
  }
}
