package fairgate.platform.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.RawRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class RedisProgramTest {
  @TempDir Path temp;

  @BeforeEach
  void letOtherUsersEnter() throws IOException {
    Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private void install(String says, int code) throws IOException {
    Path program = temp.resolve("redis-server");
    Files.writeString(program, "#!/bin/sh\necho '" + says + "'\nexit " + code + "\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private boolean found() throws IOException {
    String path = "relative::/does not exist:/\0:" + temp;
    return RedisProgram.find(path, EngineUser.choose(temp.resolve("none")))
        .filter(temp.resolve("redis-server")::equals)
        .isPresent();
  }

  private static String version(String number, String allocator) {
    return "Redis server v=" + number + " sha=00000000:0 malloc=" + allocator + " bits=64 build=e";
  }

  @Test
  void oneOfTheSameLineWithJemallocIsTaken() throws IOException {
    assertThat(found()).isFalse();
    install(version("7.0.15", "jemalloc-5.3.0"), 0);
    assertThat(found()).isTrue();
    install(version("7.0.20", "jemalloc-5.2.1"), 0);
    assertThat(found()).isTrue();
  }

  @Test
  void oneThatIsSlowerOlderOrWritesOtherFilesIsNot() throws IOException {
    for (String says :
        new String[] {
          version("7.0.15", "libc"),
          version("7.0.14", "jemalloc-5.3.0"),
          version("7.2.4", "jemalloc-5.3.0"),
          version("8.0.1", "jemalloc-5.3.0"),
          version("7.0.99999", "jemalloc-5.3.0"),
          "Valkey server v=8.0.1 malloc=jemalloc-5.3.0",
          ""
        }) {
      install(says, 0);
      assertThat(found()).as(says).isFalse();
    }
    install(version("7.0.15", "jemalloc-5.3.0"), 1);
    assertThat(found()).as("it fails").isFalse();
  }

  @Test
  void aFileThatIsNoProgramIsNot() throws IOException {
    install(version("7.0.15", "jemalloc-5.3.0"), 0);
    Files.setPosixFilePermissions(
        temp.resolve("redis-server"), PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(found()).isFalse();
  }

  @Test
  void theBundledOneAndThatOfTheMachineReadEachOthersData() {
    Path data = temp.resolve("data");
    EngineOptions any = EngineOptions.disposable();
    try (EmbeddedEngines engines = EmbeddedEngines.start(data, any.withOwnRedis())) {
      assertThat(engines.redisProgram().toString())
          .as("unpacked from the jar")
          .contains("redis-server-7.0.15");
      assertThat(RawRedis.call(engines.redisUri(), "RPUSH", "kept", "own")).isEqualTo("1");
      assertThat(RawRedis.call(engines.redisUri(), "BGREWRITEAOF")).isNotEmpty();
    }
    try (EmbeddedEngines engines = EmbeddedEngines.start(data, any)) {
      assertThat(RawRedis.call(engines.redisUri(), "RPUSH", "kept", "any")).isEqualTo("2");
      assertThat(RawRedis.call(engines.redisUri(), "BGREWRITEAOF")).isNotEmpty();
    }
    try (EmbeddedEngines engines = EmbeddedEngines.start(data, any.withOwnRedis())) {
      assertThat(RawRedis.call(engines.redisUri(), "RPUSH", "kept", "own")).isEqualTo("3");
    }
  }
}
