package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.config.Finding;
import fairgate.platform.redis.RedisFacts;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RedisChecksTest {
  private static final Map<String, String> GOOD =
      Map.of(
          "redis_version", "8.2.2",
          "role", "master",
          "aof_enabled", "1",
          "maxmemory_policy", "noeviction",
          "appendfsync", "always");

  private static List<Finding> findings(Map<String, String> others) {
    Map<String, String> facts = new HashMap<>(GOOD);
    facts.putAll(others);
    return RedisChecks.findings(new RedisFacts("redis", facts));
  }

  @Test
  void aSafeRedisHasNoFindings() {
    assertThat(findings(Map.of())).isEmpty();
  }

  @Test
  void eachUnsafeSettingIsRefused() {
    for (Map<String, String> unsafe :
        List.of(
            Map.of("aof_enabled", "0"),
            Map.of("role", "slave"),
            Map.of("maxmemory_policy", "volatile-ttl"),
            Map.of("appendfsync", "no"),
            Map.of("redis_version", "6.2.20"))) {
      assertThat(findings(unsafe))
          .as(unsafe.toString())
          .singleElement()
          .isInstanceOf(Finding.Refused.class);
    }
  }

  @Test
  void everysecIsAWarningWithItsMeaning() {
    assertThat(findings(Map.of("appendfsync", "everysec")))
        .singleElement()
        .isInstanceOf(Finding.Warning.class)
        .extracting(Finding::text)
        .asString()
        .contains("up to a second of answered purchases is lost");
  }

  @Test
  void everyUnavailableFactIsReportedAsUnknown() {
    assertThat(RedisChecks.findings(new RedisFacts("redis", Map.of())))
        .hasSize(5)
        .allSatisfy(finding -> assertThat(finding).isInstanceOf(Finding.Unknown.class));
  }

  @Test
  void answersThatWaitForAReplicaNeedOne() {
    Map<String, String> replicated =
        Map.of("connected_slaves", "1", "min-replicas-to-write", "1", "role", "master");
    assertThat(RedisChecks.replication(new RedisFacts("redis", replicated))).isEmpty();
    assertThat(
            RedisChecks.replication(
                new RedisFacts(
                    "redis", Map.of("connected_slaves", "0", "min-replicas-to-write", "0"))))
        .hasSize(2)
        .allSatisfy(finding -> assertThat(finding).isInstanceOf(Finding.Refused.class));
    assertThat(RedisChecks.replication(new RedisFacts("redis", Map.of())))
        .hasSize(2)
        .allSatisfy(finding -> assertThat(finding).isInstanceOf(Finding.Unknown.class));
  }

  @Test
  void releasesWithKnownVulnerabilitiesHaveAWarning() {
    for (String holed :
        List.of("Redis 7.0.15", "Redis 7.2.10", "Redis 8.0.3", "Valkey 8.0.5", "Valkey 7.2.4")) {
      assertThat(RedisChecks.release(holed)).as(holed).containsInstanceOf(Finding.Warning.class);
    }
    for (String sound :
        List.of("Redis 7.2.11", "Redis 8.4.0", "Redis 9.0.0", "Valkey 8.1.4", "Valkey 9.0.0")) {
      assertThat(RedisChecks.release(sound)).as(sound).isEmpty();
    }
  }
}
