package fairgate.platform.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import fairgate.testkit.RespConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The choice of the Redis of `up`. The programs are scripts that print a version.
@Tag("slow")
@Timeout(180)
final class RedisProgramTest {
  private static final RedisProgram BUNDLED =
      new RedisProgram(Path.of("/unpacked/redis-server"), release("Redis 7.0.15"), true);

  @TempDir Path temp;

  @BeforeEach
  void letOtherUsersEnter() throws IOException {
    Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static RedisRelease release(String words) {
    return RedisRelease.parse(words).orElseThrow();
  }

  /// A program that prints this version and otherwise runs the tests' Redis.
  private void install(String name, String version) throws IOException {
    script(
        name,
        "[ \"$1\" = --version ] && { echo '%s sha=0 bits=64'; exit; }; exec '%s' \"$@\""
            .formatted(version, TestEngines.shared().redisProgram()));
  }

  private void script(String name, String commands) throws IOException {
    Path program = temp.resolve(name);
    Files.writeString(program, "#!/bin/bash\n" + commands + "\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private List<RedisProgram> installed() throws IOException {
    String folders = "relative::/does not exist:/\0:" + temp;
    return RedisProgram.installed(folders, EngineUser.choose(temp.resolve("none")));
  }

  private String chosen(String... writers) throws IOException {
    List<RedisRelease> releases = List.of(writers).stream().map(RedisProgramTest::release).toList();
    return RedisProgram.choose(BUNDLED, installed(), releases, temp).words();
  }

  @Test
  void theNewestProgramIsChosen() throws IOException {
    assertThat(chosen()).isEqualTo("Redis 7.0.15 (bundled)");
    install("redis-server", "Redis server v=7.2.11");
    Path redis = temp.resolve("redis-server");
    assertThat(chosen()).isEqualTo("Redis 7.2.11 (" + redis + ")");
    install("valkey-server", "Valkey server v=8.1.1");
    Path valkey = temp.resolve("valkey-server");
    assertThat(chosen()).isEqualTo("Valkey 8.1.1 (" + valkey + ")");
    install("redis-server", "Redis server v=8.2.2");
    assertThat(chosen()).isEqualTo("Redis 8.2.2 (" + redis + ")");
  }

  @Test
  void theInstalledProgramIsPreferredToTheBundledOneOfTheSameRelease() throws IOException {
    install("redis-server", "Redis server v=7.0.15");
    Path redis = temp.resolve("redis-server");
    assertThat(chosen()).isEqualTo("Redis 7.0.15 (" + redis + ")");
    install("redis-server", "Redis server v=7.0.14");
    assertThat(chosen()).isEqualTo("Redis 7.0.15 (bundled)");
  }

  @Test
  void aProgramThatReadsTheDataIsPreferredToANewerOneThatDoesNot() throws IOException {
    install("valkey-server", "Valkey server v=9.0.0");
    install("redis-server", "Redis server v=8.2.2");
    Path redis = temp.resolve("redis-server");
    assertThat(chosen("Redis 8.0.4")).isEqualTo("Redis 8.2.2 (" + redis + ")");
    assertThatThrownBy(() -> chosen("Redis 8.4.0"))
        .isInstanceOf(EngineFailed.class)
        .hasMessageContaining("was last written by Redis 8.4.0")
        .hasMessageContaining("Valkey 9.0.0 (" + temp.resolve("valkey-server") + ")")
        .hasMessageContaining("Redis 7.0.15 (bundled)")
        .hasMessageContaining("Install redis-server 8.4 or later");
  }

  @Test
  void anOldOrFailingProgramIsIgnored() throws IOException {
    install("redis-server", "Redis server v=6.2.20");
    install("valkey-server", "KeyDB server v=6.3.4");
    assertThat(installed()).isEmpty();
    script("redis-server", "echo 'Redis server v=7.2.11'; exit 1");
    script("valkey-server", "true");
    assertThat(installed()).isEmpty();
    install("redis-server", "Redis server v=7.2.11");
    Path redis = temp.resolve("redis-server");
    Files.setPosixFilePermissions(redis, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(installed()).as("not executable").isEmpty();
  }

  @Test
  void aHangingProgramIsIgnored() throws IOException {
    script("redis-server", "echo 'Redis server v=8.2.2'; sleep 1000");
    assertThat(installed()).isEmpty();
    Eventually.await(
        "no process is left",
        () ->
            ProcessHandle.allProcesses()
                .noneMatch(
                    each -> each.info().commandLine().orElse("").contains(temp + "/redis-server")));
  }

  @Test
  void theBundledAndTheInstalledProgramReadEachOthersData() throws IOException {
    Path data = temp.resolve("data");
    EngineOptions bundled = EngineOptions.disposable().withBundledRedis();
    install("redis-server", "Redis server v=7.0.20");
    try (EmbeddedEngines engines = EmbeddedEngines.start(data, bundled)) {
      assertThat(engines.redisProgram().toString())
          .as("unpacked from the jar")
          .contains("redis-server-7.0.15");
      assertThat(RespConnection.call(engines.redisUri(), "RPUSH", "kept", "own")).isEqualTo("1");
      assertThat(RespConnection.call(engines.redisUri(), "BGREWRITEAOF")).isNotEmpty();
    }
    try (EmbeddedEngines engines =
        EmbeddedEngines.start(data, bundled.withRedisFrom(temp.toString()))) {
      assertThat(engines.redisVersion()).startsWith("Redis 7.0.20 (");
      assertThat(RespConnection.call(engines.redisUri(), "RPUSH", "kept", "any")).isEqualTo("2");
      assertThat(RespConnection.call(engines.redisUri(), "BGREWRITEAOF")).isNotEmpty();
    }
    try (EmbeddedEngines engines = EmbeddedEngines.start(data, bundled)) {
      assertThat(RespConnection.call(engines.redisUri(), "RPUSH", "kept", "own")).isEqualTo("3");
    }
  }

  @Test
  void anOlderEngineIsRefusedOnTheDataOfANewerOne() throws IOException {
    Path data = temp.resolve("data");
    EngineOptions bundled = EngineOptions.disposable().withBundledRedis();
    EngineOptions valkey = bundled.withRedisFrom(temp.toString());
    install("valkey-server", "Valkey server v=8.1.1");
    try (EmbeddedEngines engines = EmbeddedEngines.start(data, valkey)) {
      assertThat(engines.redisVersion())
          .isEqualTo("Valkey 8.1.1 (" + temp.resolve("valkey-server") + ")");
      assertThat(RespConnection.call(engines.redisUri(), "SET", "kept", "yes")).isEqualTo("OK");
    }
    assertThat(data.resolve("engines/redis/written-by")).hasContent("Valkey 8.1.1");
    assertThatThrownBy(() -> EmbeddedEngines.start(data, bundled))
        .isInstanceOf(EngineFailed.class)
        .hasMessageContaining("was last written by Valkey 8.1.1")
        .hasMessageContaining("Redis 7.0.15 (bundled)")
        .hasMessageContaining("Install valkey-server 8.1 or later")
        .hasMessageContaining("restore a backup");
    install("valkey-server", "Valkey server v=8.1.4");
    try (EmbeddedEngines engines = EmbeddedEngines.start(data, valkey)) {
      assertThat(RespConnection.call(engines.redisUri(), "GET", "kept")).isEqualTo("yes");
    }
    assertThat(data.resolve("engines/redis/written-by")).hasContent("Valkey 8.1.4");
  }
}
