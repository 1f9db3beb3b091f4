package fairgate.platform.http.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The sender of a long body is paused; the body is not buffered.
class RequestBodyStreamTest {
  private static final int CHUNK = 16 * 1024;

  private final List<String> calls = new ArrayList<>();
  private final RequestBodyStream bodyStream =
      new RequestBodyStream(
          new RequestBodyStream.Flow() {
            @Override
            public void begin() {
              calls.add("begin");
            }

            @Override
            public void pause() {
              calls.add("pause");
            }

            @Override
            public void resume() {
              calls.add("resume");
            }
          },
          10_000_000,
          Duration.ofSeconds(5));

  private void arrive(int chunks) {
    for (int i = 0; i < chunks; i++) {
      bodyStream.arrived(Buffer.buffer(new byte[CHUNK]));
    }
  }

  @Test
  void theSenderIsPausedWhileMuchIsUnreadAndThenResumed() throws IOException {
    arrive(15);
    assertThat(calls).isEmpty();
    arrive(1);
    assertThat(calls).containsExactly("pause");
    assertThat(bodyStream.readNBytes(8 * CHUNK)).hasSize(8 * CHUNK);
    assertThat(calls).doesNotContain("resume");
    assertThat(bodyStream.readNBytes(CHUNK)).hasSize(CHUNK);
    assertThat(calls).containsOnlyOnce("pause", "resume");
  }

  @Test
  void allChunksAreReadBeforeTheEnd() throws IOException {
    arrive(2);
    bodyStream.complete();
    assertThat(bodyStream.readAllBytes()).hasSize(2 * CHUNK);
    assertThat(bodyStream.read()).isNegative();
  }

  @Test
  void readingATruncatedBodyFails() throws IOException {
    arrive(1);
    bodyStream.abort();
    assertThat(bodyStream.readNBytes(CHUNK)).hasSize(CHUNK);
    assertThatThrownBy(bodyStream::read)
        .isInstanceOfSatisfying(
            RequestBodyStream.ReadException.class, e -> assertThat(e.tooLong()).isFalse());
  }

  @Test
  void chunksAfterAbandonAreDiscarded() {
    arrive(20);
    assertThat(bodyStream.abandon()).isTrue();
    arrive(20);
    assertThat(calls).containsExactly("pause", "resume");
    assertThatThrownBy(bodyStream::read).isInstanceOf(RequestBodyStream.ReadException.class);
  }
}
