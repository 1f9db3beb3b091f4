package fairgate.app.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ConfigTest {
  private static final Path FILES = Path.of("src/test/resources/config");
  private static final String EXPECT = "# expect: ";

  @Test
  void defaultsNeedNoFile() {
    FairgateConfig config = read("", Map.of(), Map.of());
    assertThat(config.server())
        .isEqualTo(
            new FairgateConfig.Server(
                "127.0.0.1",
                8080,
                50_000,
                true,
                new FairgateConfig.Proxies(List.of(), "x-forwarded-for", false)));
    assertThat(config.dataDir()).isEqualTo(Path.of("./data"));
    assertThat(config.gate().challenge().provider()).isEqualTo("altcha");
    assertThat(config.gate().limits().on()).isTrue();
    assertThat(config.stores().redis().fsyncAlways()).isTrue();
  }

  @Test
  void everyDefaultIsOfItsOwnKind() {
    for (ConfigKey key : ConfigKeys.ALL) {
      if (!key.fallback().isEmpty()) {
        assertThat(key.kind().problem(key.fallback())).as(key.name()).isEmpty();
      }
    }
  }

  @Test
  void aFileHasSectionsAndLists() {
    FairgateConfig config = read("good/sections.yaml", Map.of(), Map.of());
    assertThat(config.server().host()).isEqualTo("0.0.0.0");
    assertThat(config.server().port()).isEqualTo(9000);
    assertThat(config.gate().limits().on()).isFalse();
    assertThat(config.gate().challenge().hostnames())
        .containsExactly("shop.example", "www.shop.example");
  }

  @ParameterizedTest
  @MethodSource("goodFiles")
  void goodFilesAreRead(Path file) {
    assertThat(ConfigReader.read(Optional.of(file), Map.of(), Map.of()).byName()).isNotEmpty();
  }

  @ParameterizedTest
  @MethodSource("badFiles")
  void badFilesTellEverythingAtOnce(Path file) throws IOException {
    ConfigErrors errors =
        catchThrowableOfType(
            ConfigErrors.class, () -> ConfigReader.read(Optional.of(file), Map.of(), Map.of()));
    List<String> expected =
        Files.readAllLines(file).stream()
            .filter(line -> line.startsWith(EXPECT))
            .map(line -> line.substring(EXPECT.length()))
            .toList();
    assertThat(errors.problems()).hasSize(expected.size());
    assertThat(expected)
        .allSatisfy(
            part -> assertThat(errors.problems()).anySatisfy(p -> assertThat(p).contains(part)));
    assertThat(errors.getMessage()).doesNotContain("my-password");
  }

  @Test
  void theEnvironmentWinsOverTheFileAndOptionsOverBoth() {
    Map<String, String> environment = Map.of("FAIRGATE_PORT", "9001", "FAIRGATE_LIMITS", "on");
    FairgateConfig config = read("good/sections.yaml", environment, Map.of());
    assertThat(config.server().port()).isEqualTo(9001);
    assertThat(config.gate().limits().on()).isTrue();
    assertThat(
            read("good/sections.yaml", environment, Map.of("server.port", "9002")).server().port())
        .isEqualTo(9002);
  }

  @Test
  void theNamesOtherToolsRelyOnWork() {
    for (String name :
        List.of(
            "FAIRGATE_PORT",
            "FAIRGATE_DATA_DIR",
            "FAIRGATE_OPERATOR_TOKEN",
            "FAIRGATE_CHALLENGE",
            "FAIRGATE_PAYMENT",
            "FAIRGATE_TURNSTILE_URL",
            "FAIRGATE_LINE_API_URL",
            "FAIRGATE_LINE_CHANNEL_SECRET",
            "FAIRGATE_LINE_CHANNEL_TOKEN",
            "FAIRGATE_ORDER_SYSTEM_URL",
            "FAIRGATE_ORDER_SYSTEM_TOKEN",
            "FAIRGATE_WEATHER_URL",
            "FAIRGATE_LIMITS",
            "REDIS_URL",
            "DATABASE_URL",
            "KAFKA_BOOTSTRAP_SERVERS",
            "PROCESSING_LOCK_ENABLED",
            "PROCESSING_LOCK_TIMEOUT_SECONDS")) {
      assertThat(ConfigKeys.ALL.stream().flatMap(key -> key.environment().stream())).contains(name);
    }
  }

  @Test
  void anUnknownNameInTheEnvironmentIsToldWithAGuess() {
    assertThatThrownBy(() -> read("", Map.of("FAIRGATE_LIMIT", "on"), Map.of()))
        .hasMessageContaining("no setting FAIRGATE_LIMIT; did you mean FAIRGATE_LIMITS?");
  }

  @Test
  void whatKubernetesAddsForAServiceIsPassedOver() {
    Map<String, String> links =
        Map.of(
            "FAIRGATE_PORT", "tcp://10.0.0.7:8080",
            "FAIRGATE_SERVICE_HOST", "10.0.0.7",
            "FAIRGATE_PORT_8080_TCP_ADDR", "10.0.0.7");
    assertThat(read("", links, Map.of()).server().port()).isEqualTo(8080);
  }

  @Test
  void secretsAreNeverPrinted() {
    Map<String, String> environment =
        Map.of(
            "FAIRGATE_OPERATOR_TOKEN", "hidden-token",
            "DATABASE_URL", "postgresql://shop:hidden-password@db/shop");
    ConfigValues values = ConfigReader.read(Optional.empty(), environment, Map.of());
    assertThat(values.print())
        .contains("operator_token: [redacted]", "database.url: [redacted]", "server.port: 8080")
        .doesNotContain("hidden");
    assertThat(FairgateConfig.of(values).toString()).doesNotContain("hidden");
  }

  @Test
  void serveRefusesWhatIsUnsafe() {
    Map<String, String> environment =
        Map.of(
            "FAIRGATE_LIMITS", "off",
            "FAIRGATE_LINE_CHANNEL_SECRET", "a channel without its token",
            "FAIRGATE_MASTER_SECRET", "k1:short",
            "FAIRGATE_OPERATOR_TOKEN", "admin",
            "DATABASE_URL", "postgresql://db/shop?sslmode=require");
    assertThat(ServeChecks.problems(read("", environment, Map.of())))
        .extracting(problem -> problem.substring(0, problem.indexOf(':')))
        .containsExactly(
            "redis.url",
            "database.url",
            "master_secret",
            "operator_token",
            "limits",
            "line.channel_token",
            "line.shop_url");
  }

  @Test
  void serveTakesWhatIsSafe() {
    Map<String, String> environment =
        Map.of(
            "FAIRGATE_MASTER_SECRET", "k2:" + "0f".repeat(32) + ", k1:" + "a0".repeat(32),
            "FAIRGATE_OPERATOR_TOKEN", "a-token-long-enough-for-anybody",
            "REDIS_URL", "redis://redis:6379",
            "DATABASE_URL", "postgresql://shop:p%40ss+1@db:6543/sales");
    FairgateConfig config = read("", environment, Map.of());
    assertThat(ServeChecks.problems(config)).isEmpty();
    assertThat(MasterSecret.ring(config.keys().master()).current()).isEqualTo("k2");
  }

  @Test
  void serveTakesAClusterAndNothingThatOnlyLooksLikeOne() {
    assertThat(clusterProblems("redis://:secret@10.0.0.5:6379", "10.0.0.6:6379, [2001:db8::1]:7"))
        .isEmpty();
    assertThat(clusterProblems("redis://10.0.0.5:6379/0", "")).isEmpty();
    assertThat(clusterProblems("redis://10.0.0.5:6379/3", "")).containsExactly("redis.url");
    assertThat(clusterProblems("redis://10.0.0.5", "")).containsExactly("redis.url");
    assertThat(clusterProblems("unix:///run/redis.sock", "")).containsExactly("redis.url");
    assertThat(clusterProblems("redis://10.0.0.5:6379", "redis://10.0.0.6:6379"))
        .containsExactly("redis.nodes");
    assertThat(problems(Map.of("REDIS_URL", "redis://redis:6379", "FAIRGATE_REDIS_NODES", "a:1")))
        .containsExactly("redis.nodes");
  }

  private static List<String> clusterProblems(String url, String nodes) {
    return problems(
        Map.of("REDIS_URL", url, "FAIRGATE_REDIS_MODE", "cluster", "FAIRGATE_REDIS_NODES", nodes));
  }

  private static List<String> problems(Map<String, String> redis) {
    Map<String, String> environment = new HashMap<>(redis);
    environment.put("FAIRGATE_MASTER_SECRET", "k1:" + "0f".repeat(32));
    environment.put("FAIRGATE_OPERATOR_TOKEN", "a-token-long-enough-for-anybody");
    environment.put("DATABASE_URL", "postgresql://shop:secret@db:6543/sales");
    return ServeChecks.problems(read("", environment, Map.of())).stream()
        .map(problem -> problem.substring(0, problem.indexOf(':')))
        .toList();
  }

  static List<Path> goodFiles() {
    return files("good");
  }

  static List<Path> badFiles() {
    return files("bad");
  }

  private static List<Path> files(String folder) {
    try (Stream<Path> files = Files.list(FILES.resolve(folder))) {
      return files.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// @param file under the test's configuration files; empty for none
  private static FairgateConfig read(
      String file, Map<String, String> environment, Map<String, String> options) {
    Optional<Path> path = file.isEmpty() ? Optional.empty() : Optional.of(FILES.resolve(file));
    return FairgateConfig.of(ConfigReader.read(path, environment, options));
  }
}
