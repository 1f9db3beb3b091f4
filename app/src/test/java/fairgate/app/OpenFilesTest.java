package fairgate.app;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.app.command.StartFailed;
import org.junit.jupiter.api.Test;

final class OpenFilesTest {
  @Test
  void tooFewOpenFilesPreventTheStartWithAdvice() {
    assertThatThrownBy(() -> OpenFiles.check(256))
        .isInstanceOf(StartFailed.class)
        .hasMessageContaining("may have 256 files")
        .hasMessageContaining("ulimit -n 65536");
    OpenFiles.check(1024);
    OpenFiles.check(-1);
  }
}
