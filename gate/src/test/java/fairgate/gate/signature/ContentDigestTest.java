package fairgate.gate.signature;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.signature.SignatureService.ContentDigest;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ContentDigestTest {
  private static final String SHA256 = "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:";
  private static final String SHA512 =
      "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BN"
          + "NyealdVLvRwEmTHWXvJwew==:";

  private static boolean matches(String header) {
    return ContentDigest.matches(header, "{\"hello\": \"world\"}".getBytes(StandardCharsets.UTF_8));
  }

  /// The example body of RFC 9530.
  @Test
  void theDigestsOfTheRfcMatch() {
    assertThat(matches(SHA256)).isTrue();
    assertThat(matches(SHA512)).isTrue();
    assertThat(matches(SHA256 + ", " + SHA512)).isTrue();
  }

  @Test
  void allKnownDigestsMustMatchAndOneMustBeKnown() {
    String wrong = SHA256.replace("X48E", "X48F");
    assertThat(matches(wrong)).isFalse();
    assertThat(matches(SHA512 + ", " + wrong)).isFalse();
    assertThat(matches(SHA256 + ", md5=:AAAA:")).isTrue();
    assertThat(matches("md5=:AAAA:")).isFalse();
    assertThat(matches("sha-256=::")).isFalse();
    assertThat(matches("sha-256")).isFalse();
    assertThat(matches("")).isFalse();
  }
}
