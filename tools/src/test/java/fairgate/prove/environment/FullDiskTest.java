package fairgate.prove.environment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// A disk that is full, as Redis meets it.
@EnabledOnOs(OS.LINUX)
class FullDiskTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void redisEndsBeforeItAnswersWhatDoesNotFitAndKeepsTheRest() throws IOException {
    var choice = new Engines.Choice(false, false, Optional.empty(), 1);
    try (Engines engines = Engines.start(folder, choice)) {
      Master master = engines.masters().getFirst();
      try (Resp redis = master.open()) {
        assertThat(redis.call("SET", "kept", "1")).isEqualTo("OK");
        // What Redis says goes to a file, too, which has to have room.
        assertThat(redis.call("SET", "larger", "x".repeat(1 << 16))).isEqualTo("OK");
      }
      assertThat(master.fillDisk("unanswered")).isTrue();
      assertThat(master.answers()).as("it stays away").isFalse();
      assertThat(Files.readString(folder.resolve("logs/redis.log")))
          .contains("Short write while writing to the AOF file", "Can't recover from AOF write");
      master.back();
      try (Resp redis = master.open()) {
        assertThat(redis.call("GET", "kept")).isEqualTo("1");
        assertThat(redis.call("GET", "unanswered")).isNull();
        assertThat(redis.call("SET", "more", "1")).as("there is room again").isEqualTo("OK");
      }
    }
  }
}
