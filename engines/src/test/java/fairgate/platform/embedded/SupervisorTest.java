package fairgate.platform.embedded;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SupervisorTest {
  @TempDir Path temp;

  private record Program(Path data, List<String> command) implements Engine {
    @Override
    public String name() {
      return "program";
    }

    @Override
    public String stopSignal() {
      return "TERM";
    }

    @Override
    public boolean isReady() {
      return false;
    }
  }

  private void fails(String script, String said) {
    Program program = new Program(temp, List.of("bash", "-c", script));
    assertThatThrownBy(() -> Supervisor.start(program, temp, Duration.ofSeconds(60)))
        .isInstanceOf(EngineFailed.class)
        .hasMessageContaining(said);
  }

  @Test
  void aSilentFailureIsReportedWithExitCodeAndCommand() {
    fails("exit 3", "ended with exit code 3 and wrote nothing to its log " + temp);
    fails("exit 3", "by hand to see why: bash -c exit 3");
    fails("kill -s KILL $$", "ended with signal 9");
  }

  @Test
  void theEndOfTheEnginesLogIsShown() {
    fails("echo no room; exit 1", "ends with:\nno room");
  }
}
