package fairgate.platform.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.testkit.RespConnection;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
final class RedisLogTest {
  private static final String BEFORE = command("SELECT", "0") + command("SET", "k", "über\r\n*1");
  private static final String BLOCK =
      command("MULTI") + command("SET", "a", "1") + command("SET", "b", "1") + command("exec");

  @TempDir Path temp;

  @BeforeEach
  void letOtherUsersEnter() throws IOException {
    Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static String command(String... words) {
    StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) {
      text.append('$').append(word.getBytes(UTF_8).length).append("\r\n").append(word);
      text.append("\r\n");
    }
    return text.toString();
  }

  private Path log() {
    return temp.resolve("appendonlydir/appendonly.aof.2.incr.aof");
  }

  private void write(byte[] content) throws IOException {
    Path folder = Files.createDirectories(temp.resolve("appendonlydir"));
    Files.writeString(
        folder.resolve("appendonly.aof.manifest"),
        """
        file appendonly.aof.2.base.rdb seq 2 type b
        file appendonly.aof.1.incr.aof seq 1 type i
        file appendonly.aof.2.incr.aof seq 2 type i
        """);
    Files.write(log(), content);
  }

  @Test
  void anIncompleteBlockIsRemovedCompletely() throws IOException {
    byte[] before = BEFORE.getBytes(UTF_8);
    byte[] all = (BEFORE + BLOCK).getBytes(UTF_8);
    for (int length = before.length; length <= all.length; length++) {
      byte[] content = Arrays.copyOf(all, length);
      write(content);
      int kept = length == all.length ? all.length : before.length;
      assertThat(RedisLog.mend(temp)).as("cut at " + length).isEqualTo(length - kept);
      assertThat(Files.size(log())).isEqualTo(kept);
    }
  }

  @Test
  void completeOrMissingLogsStayUnchanged() throws IOException {
    assertThat(RedisLog.mend(temp)).isZero();
    for (String content : new String[] {"", BEFORE + BLOCK, BEFORE + "#TS:1\r\n" + BLOCK}) {
      write(content.getBytes(UTF_8));
      assertThat(RedisLog.mend(temp)).as(content).isZero();
      assertThat(Files.readString(log())).isEqualTo(content);
    }
  }

  @Test
  void zerosAtTheEndAreRemovedAfterACopy() throws IOException {
    byte[] all = (BEFORE + BLOCK).getBytes(UTF_8);
    for (int length = BEFORE.getBytes(UTF_8).length; length <= all.length; length++) {
      byte[] content = Arrays.copyOf(Arrays.copyOf(all, length), length + 70_000);
      write(content);
      int kept = length == all.length ? all.length : BEFORE.getBytes(UTF_8).length;
      assertThat(RedisLog.mend(temp)).as("zeros from " + length).isEqualTo(content.length - kept);
      assertThat(Files.readAllBytes(log())).isEqualTo(Arrays.copyOf(all, kept));
      assertThat(temp.resolve("damaged-" + log().getFileName())).hasBinaryContent(content);
    }
  }

  @Test
  void otherDamageIsReportedWithItsOffsetAndNothingIsRemoved() throws IOException {
    int whole = BEFORE.getBytes(UTF_8).length;
    for (String content :
        new String[] {
          BEFORE + "rubbish" + BLOCK,
          BEFORE + "*99999999999999999999999\r\n",
          BEFORE + "\0\0\0" + BLOCK,
          BEFORE + BLOCK.replace("$3", "$x")
        }) {
      write(content.getBytes(UTF_8));
      assertThatThrownBy(() -> RedisLog.mend(temp))
          .as(content)
          .isInstanceOf(EngineFailed.class)
          .hasMessageContaining("truncate -s " + whole + " " + log())
          .hasMessageContaining("restore a backup");
      assertThat(Files.readString(log())).isEqualTo(content);
    }
  }

  @Test
  void redisStartsWithALogThatEndedWithZeros() throws IOException {
    Path data = temp.resolve("data");
    Path log;
    try (EmbeddedEngines engines = EmbeddedEngines.start(data, EngineOptions.disposable())) {
      assertThat(RespConnection.call(engines.redisUri(), "SET", "kept", "yes")).isEqualTo("OK");
      String folder =
          RespConnection.call(engines.redisUri(), "CONFIG", "GET", "dir").lines().toList().get(1);
      log = Path.of(folder, "appendonlydir/appendonly.aof.1.incr.aof");
    }
    Files.write(log, new byte[4096], StandardOpenOption.APPEND);
    try (EmbeddedEngines engines = EmbeddedEngines.start(data, EngineOptions.disposable())) {
      assertThat(RespConnection.call(engines.redisUri(), "GET", "kept").strip()).isEqualTo("yes");
    }
  }

  @Test
  void anIncompleteScriptIsNotRunByALaterStart() throws IOException {
    Path data = temp.resolve("data");
    Path log;
    try (EmbeddedEngines engines = EmbeddedEngines.start(data, EngineOptions.disposable())) {
      String three = "for _, k in ipairs({'a', 'b', 'c'}) do redis.call('SET', k, 'half') end";
      assertThat(RespConnection.call(engines.redisUri(), "SET", "kept", "yes")).isEqualTo("OK");
      assertThat(RespConnection.call(engines.redisUri(), "EVAL", three, "0")).isEmpty();
      String folder =
          RespConnection.call(engines.redisUri(), "CONFIG", "GET", "dir").lines().toList().get(1);
      log = Path.of(folder, "appendonlydir/appendonly.aof.1.incr.aof");
    }
    try (FileChannel file = FileChannel.open(log, StandardOpenOption.WRITE)) {
      assertThat(file.truncate(file.size() - command("EXEC").length() - 5).size()).isPositive();
    }
    for (String later : new String[] {"first", "second"}) {
      try (EmbeddedEngines engines = EmbeddedEngines.start(data, EngineOptions.disposable())) {
        assertThat(RespConnection.call(engines.redisUri(), "MGET", "a", "b", "c", "kept").strip())
            .as(later)
            .isEqualTo("yes");
        String two = "redis.call('SET', 'd', '1') redis.call('SET', 'e', '1')";
        assertThat(RespConnection.call(engines.redisUri(), "EVAL", two, "0")).isEmpty();
      }
    }
  }
}
