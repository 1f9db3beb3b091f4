package fairgate.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.platform.postgres.ChangePoll.RestingPass;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RestingPassTest {
  private String snapshot = "1";
  private long nanos;
  private int passes;

  /// What the next passes find; then they find nothing.
  private final Deque<Boolean> found = new ArrayDeque<>();

  private final RestingPass pass =
      new RestingPass(
          () -> snapshot,
          () -> nanos,
          () -> {
            passes++;
            return !found.isEmpty() && found.remove();
          });

  private void passes(int expected) {
    pass.run();
    assertThat(passes).isEqualTo(expected);
  }

  @Test
  void aPassThatHasFoundNothingRestsUntilSomethingIsWritten() {
    found.addAll(List.of(true, false));
    passes(1);
    passes(2);
    passes(2);
    snapshot = "2";
    passes(3);
    passes(3);
  }

  @Test
  void rowsThatBecomeDueByTheClockAreFoundAfterTheLongestRest() {
    passes(1);
    nanos = RestingPass.MAX_REST.toNanos() - 1;
    passes(1);
    nanos++;
    passes(2);
    passes(2);
  }

  @Test
  void aWriteDuringThePassIsNotMissed() {
    RestingPass writing =
        new RestingPass(
            () -> snapshot,
            () -> nanos,
            () -> {
              passes++;
              snapshot = "written meanwhile";
              return false;
            });
    writing.run();
    writing.run();
    assertThat(passes).isEqualTo(2);
  }

  @Test
  void nothingRestsWhileTheSnapshotIsUnknown() {
    snapshot = "";
    passes(1);
    passes(2);
  }

  @Test
  void aFailedPassIsRepeated() {
    RestingPass failing =
        new RestingPass(
            () -> snapshot,
            () -> nanos,
            () -> {
              if (++passes == 2) {
                throw new IllegalStateException("on purpose");
              }
              return false;
            });
    failing.run();
    snapshot = "2";
    assertThatThrownBy(failing::run).isInstanceOf(IllegalStateException.class);
    failing.run();
    assertThat(passes).isEqualTo(3);
  }
}
