package fairgate.platform.http.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The sender of a long body is held back, not buffered.
class InflowTest {
  private static final int CHUNK = 16 * 1024;

  private final List<String> told = new ArrayList<>();
  private final Inflow inflow =
      new Inflow(
          new Inflow.Flow() {
            @Override
            public void begin() {
              told.add("begin");
            }

            @Override
            public void pause() {
              told.add("pause");
            }

            @Override
            public void resume() {
              told.add("resume");
            }
          },
          10_000_000,
          Duration.ofSeconds(5));

  private void arrive(int chunks) {
    for (int i = 0; i < chunks; i++) {
      inflow.arrived(Buffer.buffer(new byte[CHUNK]));
    }
  }

  @Test
  void theSenderIsHeldBackWhileMuchWaitsAndLetOnWhenItWasRead() throws IOException {
    arrive(15);
    assertThat(told).isEmpty();
    arrive(1);
    assertThat(told).containsExactly("pause");
    assertThat(inflow.readNBytes(8 * CHUNK)).hasSize(8 * CHUNK);
    assertThat(told).doesNotContain("resume");
    assertThat(inflow.readNBytes(CHUNK)).hasSize(CHUNK);
    assertThat(told).containsOnlyOnce("pause", "resume");
  }

  @Test
  void allThatArrivedIsReadBeforeTheEndAndTheEndStays() throws IOException {
    arrive(2);
    inflow.complete();
    assertThat(inflow.readAllBytes()).hasSize(2 * CHUNK);
    assertThat(inflow.read()).isNegative();
  }

  @Test
  void aBodyThatBrokeOffIsNotTakenForAWholeOne() throws IOException {
    arrive(1);
    inflow.broken();
    assertThat(inflow.readNBytes(CHUNK)).hasSize(CHUNK);
    assertThatThrownBy(inflow::read)
        .isInstanceOfSatisfying(Inflow.BrokenOff.class, e -> assertThat(e.tooLong()).isFalse());
  }

  @Test
  void whatArrivesAfterItWasGivenUpIsDropped() {
    arrive(20);
    assertThat(inflow.abandon()).isTrue();
    arrive(20);
    assertThat(told).containsExactly("pause", "resume");
    assertThatThrownBy(inflow::read).isInstanceOf(Inflow.BrokenOff.class);
  }
}
