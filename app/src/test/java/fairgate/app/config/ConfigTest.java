package fairgate.app.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import fairgate.platform.feature.Secret;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ConfigTest {
  private static final Path FILES = Path.of("src/test/resources/config");
  private static final String EXPECT = "# expect: ";
  private static final String TOKEN = "pQ7vK2mZ9sLr4TxB1wNc8HyD";
  private static final String KEY =
      "9f31c6d2a7584be06d1f8a93c5e472b80b6ee1943fd7285ac1097d6e5b84f23a";
  private static final String OLD_KEY =
      "41d98cd98f00b204e9800998ecf8427e3b5f0c2a917e64d8ab93127c56fe08d1";

  @Test
  void defaultsNeedNoFile() {
    FairgateConfig config = read("", Map.of(), Map.of());
    assertThat(config.server())
        .isEqualTo(
            new FairgateConfig.Server(
                "127.0.0.1",
                8080,
                -1,
                50_000,
                5,
                1_000,
                true,
                new FairgateConfig.Proxies(List.of(), "x-forwarded-for", false),
                "loopback"));
    assertThat(config.dataDir()).isEqualTo(Path.of("./data"));
    assertThat(config.gate().challenge().provider()).isEqualTo("altcha");
    assertThat(config.gate().limits().on()).isTrue();
    assertThat(config.stores().redis().fsyncAlways()).isTrue();
  }

  @Test
  void everyDefaultIsValidForItsKind() {
    for (ConfigKey key : ConfigRecords.KEYS) {
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
  void badFilesReportAllProblemsAtOnce(Path file) throws IOException {
    ConfigReader.Errors errors =
        catchThrowableOfType(
            ConfigReader.Errors.class,
            () -> ConfigReader.read(Optional.of(file), Map.of(), Map.of()));
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
  void theEnvironmentVariablesOfOtherToolsWork() {
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
      assertThat(ConfigRecords.KEYS.stream().flatMap(key -> key.environment().stream()))
          .contains(name);
    }
  }

  @Test
  void anUnknownEnvironmentVariableIsReportedWithASuggestion() {
    assertThatThrownBy(() -> read("", Map.of("FAIRGATE_LIMIT", "on"), Map.of()))
        .hasMessageContaining("no setting FAIRGATE_LIMIT; did you mean FAIRGATE_LIMITS?");
  }

  @Test
  void aSecretMayBeInAFile(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("token"), "a-token-of-a-file\n");
    String name = "FAIRGATE_OPERATOR_TOKEN";
    FairgateConfig config = read("", Map.of(name + "_FILE", file.toString()), Map.of());
    assertThat(config.keys().operatorToken().expose()).isEqualTo("a-token-of-a-file");
    assertThatThrownBy(() -> read("", Map.of(name + "_FILE", file.toString(), name, "x"), Map.of()))
        .hasMessageContaining("not both");
    assertThatThrownBy(() -> read("", Map.of(name + "_FILE", folder + "/none"), Map.of()))
        .hasMessageContaining("cannot be read");
    assertThatThrownBy(() -> read("", Map.of("FAIRGATE_SERVER_PORT_FILE", "x"), Map.of()))
        .hasMessageContaining("there is no setting FAIRGATE_SERVER_PORT_FILE");
  }

  @Test
  void theServiceVariablesOfKubernetesAreIgnored() {
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
  void serveRefusesUnsafeSettings() {
    Map<String, String> environment =
        Map.of(
            "FAIRGATE_LIMITS", "off",
            "FAIRGATE_LINE_CHANNEL_SECRET", "a channel without its token",
            "FAIRGATE_MASTER_SECRET", "k1:short",
            "FAIRGATE_OPERATOR_TOKEN", "admin",
            "DATABASE_URL", "postgresql://db/shop?sslmode=perhaps");
    assertThat(refused(read("", environment, Map.of())))
        .containsExactly(
            "redis.url",
            "database.url",
            "master_secret",
            "operator_token",
            "payment.provider",
            "limits",
            "links.base_url",
            "line.channel_token",
            "line.shop_url");
  }

  @Test
  void serveRefusesSecretsThatAreLongButEasyToGuess() {
    for (String token :
        List.of(
            "aaaaaaaaaaaaaaaaaaaa",
            "abcdefghijklmnopqrstuvwxyz0123456789",
            "passwordpasswordpassword",
            "Operator-Token-Secret-Admin",
            "12345678901234567890")) {
      assertThat(refused(safe(Map.of("FAIRGATE_OPERATOR_TOKEN", token))))
          .as(token)
          .containsExactly("operator_token");
    }
    for (String key :
        List.of("00".repeat(32), "0f".repeat(32), "0123456789abcdef".repeat(4), bytesFrom0To31())) {
      assertThat(refused(safe(Map.of("FAIRGATE_MASTER_SECRET", "k1:" + key))))
          .as(key)
          .containsExactly("master_secret");
    }
    assertThat(
            refused(
                safe(
                    Map.of(
                        "FAIRGATE_PAYMENT", "webhook",
                        "FAIRGATE_PAYMENT_SECRET", "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"))))
        .containsExactly("payment.secret");
  }

  /// PostgreSQL's login by password would not answer at all.
  @Test
  void anEmptyPasswordOfTheDatabaseIsRefusedUnlessACertificateIsSet() throws IOException {
    String url = "postgresql://shop:@db/sales?sslmode=require";
    assertThat(refused(safe(Map.of("DATABASE_URL", url)))).containsExactly("database.url");
    Path file = Files.createTempFile("fairgate-", ".pem");
    Map<String, String> certificate =
        Map.of(
            "DATABASE_URL",
            url,
            "FAIRGATE_DATABASE_CERT_FILE",
            file.toString(),
            "FAIRGATE_DATABASE_KEY_FILE",
            file.toString());
    assertThat(refused(safe(certificate))).isEmpty();
    Files.delete(file);
  }

  @Test
  void freshSecretsAreNeverReportedAsWeak() {
    SecureRandom random = new SecureRandom();
    for (int i = 0; i < 2_000; i++) {
      byte[] bytes = new byte[24];
      random.nextBytes(bytes);
      assertThat(SecretStrength.ofText(HexFormat.of().formatHex(bytes))).isGreaterThan(72);
      assertThat(SecretStrength.ofText(Base64.getEncoder().encodeToString(bytes)))
          .isGreaterThan(72);
      String key = MasterSecret.make(Clock.systemUTC(), random);
      byte[] made = MasterSecret.bytes(new Secret(key)).values().iterator().next();
      assertThat(SecretStrength.ofBytes(made)).isGreaterThan(112);
    }
  }

  private static String bytesFrom0To31() {
    byte[] bytes = new byte[32];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    return HexFormat.of().formatHex(bytes);
  }

  /// Settings that `serve` accepts, with these overrides.
  private static FairgateConfig safe(Map<String, String> others) {
    Map<String, String> environment = new HashMap<>();
    environment.put("FAIRGATE_MASTER_SECRET", "k1:" + KEY);
    environment.put("FAIRGATE_OPERATOR_TOKEN", TOKEN);
    environment.put("REDIS_URL", "redis://redis:6379");
    environment.put("DATABASE_URL", "postgresql://shop:p%40ss+1@db:6543/sales");
    environment.put("FAIRGATE_PAYMENT_SANDBOX_IN_PRODUCTION", "accepted");
    environment.put("FAIRGATE_LINKS_BASE_URL", "https://tickets.example.com");
    environment.putAll(others);
    return read("", environment, Map.of());
  }

  /// The settings that `serve` refuses.
  private static List<String> refused(FairgateConfig config) {
    return ServeChecks.findings(config).stream()
        .filter(Finding.Refused.class::isInstance)
        .map(finding -> finding.text().substring(0, finding.text().indexOf(':')))
        .toList();
  }

  @Test
  void serveAcceptsSafeSettings() {
    FairgateConfig config = safe(Map.of("FAIRGATE_MASTER_SECRET", "k2:" + KEY + ", k1:" + OLD_KEY));
    assertThat(refused(config)).isEmpty();
    assertThat(MasterSecret.ring(config.keys().master()).current()).isEqualTo("k2");
  }

  @Test
  void serveSendsCodesOnlyEncryptedAndNeverIntoAFile() {
    String secret = "whsec_" + "c2VjcmV0".repeat(5);
    Map<String, String> smtp =
        Map.of(
            "FAIRGATE_MESSAGES_EMAIL", "smtp",
            "FAIRGATE_MESSAGES_SMTP_HOST", "mail.example.com",
            "FAIRGATE_MESSAGES_SMTP_FROM", "Tickets <no-reply@example.com>",
            "FAIRGATE_MESSAGES_SMS", "webhook",
            "FAIRGATE_MESSAGES_WEBHOOK_URL", "https://gateway.example.com/send",
            "FAIRGATE_MESSAGES_WEBHOOK_SECRET", secret);
    assertThat(refused(safe(smtp))).isEmpty();
    Map<String, String> clear = new HashMap<>(smtp);
    clear.put("FAIRGATE_MESSAGES_SMTP_TLS", "off");
    clear.put("FAIRGATE_MESSAGES_WEBHOOK_URL", "http://gateway.example.com/send");
    assertThat(refused(safe(clear))).contains("messages.smtp_tls", "messages.webhook_url");
    assertThat(refused(safe(Map.of("FAIRGATE_IDENTITY_PROVIDER", "console"))))
        .containsExactly("identity.provider");
    assertThat(refused(safe(Map.of("FAIRGATE_MESSAGES_SMS", "twilio"))))
        .containsExactly(
            "messages.twilio_account", "messages.twilio_token", "messages.twilio_from");
  }

  @Test
  void serveAcceptsAClusterAndRefusesIncompleteClusterSettings() {
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

  @Test
  void theAddressOfRedisMayComeInParts() {
    assertThat(redis(Map.of("REDIS_ADDR", "localhost:6379"))).isEqualTo("redis://localhost:6379");
    assertThat(redis(Map.of("REDIS_ADDR", ":7000", "REDIS_DB", "0")))
        .isEqualTo("redis://localhost:7000");
    assertThat(redis(Map.of("REDIS_ADDR", "[::1]", "REDIS_DB", "3")))
        .isEqualTo("redis://[::1]:6379/3");
    String password = "p@ss:w/ö d";
    String url = redis(Map.of("REDIS_ADDR", "redis", "REDIS_PASSWORD", password));
    assertThat(url).isEqualTo("redis://:p%40ss%3Aw%2F%C3%B6%20d@redis:6379");
    assertThat(redis(Map.of("REDIS_ADDR", "other:1", "REDIS_URL", "redis://redis:6379")))
        .isEqualTo("redis://redis:6379");
    assertThat(redis(Map.of("REDIS_PASSWORD", "of another program"))).isEmpty();
    assertThatThrownBy(() -> redis(Map.of("REDIS_ADDR", "redis://redis:6379")))
        .hasMessageContaining("REDIS_ADDR: expected host:port");
    assertThatThrownBy(() -> redis(Map.of("REDIS_ADDR", "redis", "REDIS_DB", "one")))
        .hasMessageContaining("REDIS_DB: \"one\" is wrong");
  }

  private static String redis(Map<String, String> environment) {
    return read("", environment, Map.of()).stores().redis().url().expose();
  }

  private static List<String> clusterProblems(String url, String nodes) {
    return problems(
        Map.of("REDIS_URL", url, "FAIRGATE_REDIS_MODE", "cluster", "FAIRGATE_REDIS_NODES", nodes));
  }

  private static List<String> problems(Map<String, String> redis) {
    return refused(safe(redis));
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
