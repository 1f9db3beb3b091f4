package fairgate.platform.http.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A reader that takes a little now and then may not hold a download for ever.
class ResponseBodyStreamTest {
  private static final Duration LIMIT = Duration.ofMillis(300);

  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() {
    var _ = vertx.close().await();
  }

  private static void endless(OutputStream out) {
    try {
      while (true) {
        out.write(new byte[1_024]);
      }
    } catch (java.io.IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void isCutOff(Function<Buffer, Future<Void>> out) {
    assertThatThrownBy(
            () ->
                ResponseBodyStream.write(
                    vertx.getOrCreateContext(), out, LIMIT, ResponseBodyStreamTest::endless))
        .isInstanceOf(ResponseBodyStream.ClientGone.class);
  }

  @Test
  void aSlowReaderIsCutOffAfterTheTotalTime() {
    isCutOff(_ -> vertx.timer(20).mapEmpty());
    isCutOff(_ -> io.vertx.core.Promise.<Void>promise().future());
  }

  @Test
  void aClosedResponseEndsTheBody() {
    isCutOff(_ -> Future.failedFuture("closed"));
    isCutOff(
        _ -> {
          throw new IllegalStateException("Response has already been written");
        });
  }

  @Test
  void theTotalTimeIsFifteenMinutesOrTheDeadlineOfTheRoute() {
    assertThat(ResponseBodyStream.limit(Duration.ofSeconds(5))).isEqualTo(Duration.ofMinutes(15));
    assertThat(ResponseBodyStream.limit(Duration.ofHours(1))).isEqualTo(Duration.ofHours(1));
  }
}
