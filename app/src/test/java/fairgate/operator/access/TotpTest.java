package fairgate.operator.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// One-time codes, with the test vectors of RFC 6238, appendix B, and of RFC 4648.
class TotpTest {
  private static final byte[] SECRET = "12345678901234567890".getBytes(StandardCharsets.UTF_8);

  @ParameterizedTest
  @CsvSource({
    "59, 287082",
    "1111111109, 081804",
    "1111111111, 050471",
    "1234567890, 005924",
    "2000000000, 279037",
    "20000000000, 353130"
  })
  void codesAreThoseOfTheStandard(long seconds, String code) {
    Instant now = Instant.ofEpochSecond(seconds);
    assertThat(Totp.code(SECRET, now)).isEqualTo(code);
    assertThat(Totp.match(SECRET, code, now)).hasValue(seconds / 30);
  }

  @Test
  void aCodeIsAcceptedOneStepEarlyOrLateAndNotTwo() {
    Instant now = Instant.ofEpochSecond(1_234_567_890);
    String code = Totp.code(SECRET, now);
    long step = now.getEpochSecond() / 30;
    for (int seconds : new int[] {-30, 0, 30}) {
      assertThat(Totp.match(SECRET, code, now.plusSeconds(seconds))).hasValue(step);
    }
    for (int seconds : new int[] {-60, 60}) {
      assertThat(Totp.match(SECRET, code, now.plusSeconds(seconds))).isEmpty();
    }
  }

  @Test
  void otherTextIsNoCode() {
    Instant now = Instant.ofEpochSecond(59);
    for (String text : new String[] {"", "28708", "2870820", "28708a", "２８７０８２", "-287082"}) {
      assertThat(Totp.match(SECRET, text, now)).as(text).isEmpty();
    }
  }

  @Test
  void secretsAreWrittenInBase32() {
    assertThat(Totp.base32(SECRET)).isEqualTo("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    assertThat(Totp.base32("foob".getBytes(StandardCharsets.UTF_8))).isEqualTo("MZXW6YQ");
    assertThat(Totp.uri(SECRET, "Anna-王"))
        .isEqualTo(
            "otpauth://totp/Fairgate:Anna-%E7%8E%8B?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
                + "&issuer=Fairgate");
  }
}
