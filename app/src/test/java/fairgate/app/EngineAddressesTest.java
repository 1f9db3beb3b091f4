package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.config.ConfigReader;
import fairgate.app.config.FairgateConfig;
import fairgate.platform.postgres.PostgresSettings;
import fairgate.platform.postgres.PostgresSettings.Encryption;
import fairgate.platform.postgres.PostgresSettings.Mode;
import fairgate.platform.redis.RedisSettings;
import fairgate.platform.tls.TlsFiles;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class EngineAddressesTest {
  @Test
  void theDatabaseUrlIsParsed() {
    assertThat(postgres("postgresql://shop:p%40ss+1@db.example:6543/sales"))
        .isEqualTo(new PostgresSettings("db.example", 6543, "shop", "p@ss+1", "sales", 8));
  }

  @Test
  void theDefaultPortOfPostgresIsUsed() {
    assertThat(postgres("postgres://shop:secret@db/sales").port()).isEqualTo(5432);
  }

  @Test
  void theEncryptionOfTheDatabaseIsParsed() {
    Encryption plain = postgres("postgres://shop:secret@db/s").encryption();
    assertThat(plain).isEqualTo(Encryption.NONE);
    EngineAddresses verified =
        of(
            Map.of(
                "DATABASE_URL", "postgres://shop:secret@db/s?sslmode=verify-full",
                "FAIRGATE_DATABASE_CA_FILE", "ca.pem",
                "FAIRGATE_REDIS_CA_FILE", "redis-ca.pem",
                "REDIS_URL", "rediss://redis"));
    assertThat(verified.postgres().encryption())
        .isEqualTo(new Encryption(Mode.VERIFY_FULL, new TlsFiles("ca.pem", "", "")));
    assertThat(verified.redis().tls()).isEqualTo(new TlsFiles("redis-ca.pem", "", ""));
    assertThat(verified.redis().isEncrypted()).isTrue();
  }

  @Test
  void theModeDeterminesWhetherRedisIsACluster() {
    String url = "redis://:password@10.0.0.5:6379";
    assertThat(of(Map.of("REDIS_URL", url)).redis()).isEqualTo(RedisSettings.of(url));
    RedisSettings cluster =
        of(Map.of(
                "REDIS_URL", url,
                "FAIRGATE_REDIS_MODE", "cluster",
                "FAIRGATE_REDIS_NODES", "10.0.0.6:6379, 10.0.0.7:6379"))
            .redis();
    assertThat(cluster)
        .isEqualTo(RedisSettings.cluster(url, List.of("10.0.0.6:6379", "10.0.0.7:6379")));
    assertThat(cluster.toString()).as("in messages").isEqualTo("redis://10.0.0.5:6379");
  }

  private static PostgresSettings postgres(String url) {
    return of(Map.of("DATABASE_URL", url, "REDIS_URL", "redis://redis")).postgres();
  }

  private static EngineAddresses of(Map<String, String> environment) {
    Map<String, String> all = new HashMap<>(Map.of("DATABASE_URL", "postgres://shop:secret@db/s"));
    all.putAll(environment);
    return EngineAddresses.external(
        FairgateConfig.of(ConfigReader.read(Optional.empty(), all, Map.of())));
  }
}
