package fairgate.platform.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RedisReleaseTest {
  private static RedisRelease release(String words) {
    return RedisRelease.parse(words).orElseThrow();
  }

  @Test
  void aReleaseIsParsedFromAProgramsOutputAndFromItsOwnText() {
    assertThat(release("Redis server v=7.2.11 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64"))
        .isEqualTo(new RedisRelease("Redis", 7, 2, 11));
    assertThat(release("Valkey server v=8.1.1 sha=00000000:0 malloc=libc bits=64 build=1"))
        .isEqualTo(new RedisRelease("Valkey", 8, 1, 1))
        .satisfies(valkey -> assertThat(release(valkey.toString())).isEqualTo(valkey));
    assertThat(RedisRelease.parse("KeyDB server v=6.3.4")).isEmpty();
    assertThat(RedisRelease.parse("Redis server v=7.0.99999 sha=0")).isEmpty();
    assertThat(RedisRelease.parse("")).isEmpty();
  }

  @Test
  void releasesBefore7AndDevelopmentBuildsAreNotSupported() {
    assertThat(release("Redis 7.0.0").supported()).isTrue();
    assertThat(release("Valkey 9.0.1").supported()).isTrue();
    assertThat(release("Redis 6.2.20").supported()).isFalse();
    assertThat(release("Redis 255.255.255").supported()).isFalse();
  }

  @Test
  void aReleaseReadsTheDataOfItsOwnEarlierReleases() {
    assertThat(release("Redis 8.2.2").reads(release("Redis 7.4.6"))).isTrue();
    assertThat(release("Valkey 9.0.0").reads(release("Valkey 8.1.4"))).isTrue();
    assertThat(release("Redis 7.0.15").reads(release("Redis 7.0.20"))).isTrue();
    assertThat(release("Redis 7.0.15").reads(release("Redis 7.2.4"))).isFalse();
    assertThat(release("Valkey 8.1.4").reads(release("Valkey 9.0.0"))).isFalse();
  }

  @Test
  void valkeyReadsRedisDataUpToTheFork() {
    assertThat(release("Valkey 7.2.5").reads(release("Redis 7.0.15"))).isTrue();
    assertThat(release("Valkey 8.1.4").reads(release("Redis 7.2.4"))).isTrue();
    assertThat(release("Valkey 9.0.0").reads(release("Redis 7.4.0"))).isFalse();
    assertThat(release("Redis 8.2.2").reads(release("Valkey 8.1.4"))).isFalse();
  }
}
