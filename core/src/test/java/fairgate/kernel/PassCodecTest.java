package fairgate.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;

final class PassCodecTest {
  private static final byte[] ONE = secret(1);
  private static final byte[] TWO = secret(2);
  private static final Pass PASS =
      new Pass(
          new SessionId("0b8c9d1e-2f30-4152-8637-4859a6b7c8d9"),
          "abcdefghijklmnopqrstuv",
          new ProductId("7"),
          "ABCDEFGHIJKLMNOPQRSTUV",
          1_800_000_000_123L,
          3);

  private final KeyRing ring = new KeyRing("k1", Map.of("k1", ONE));
  private final PassCodec codec = new PassCodec(ring);

  private static byte[] secret(int fill) {
    byte[] secret = new byte[32];
    Arrays.fill(secret, (byte) fill);
    return secret;
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static String payload(String keyId) {
    return "1|" + keyId + "|7|" + PASS.session() + "|abcdefghijklmnopqrstuv|n|1800000000123|3";
  }

  private static String signed(KeyRing by, String purpose, String payload) {
    return encode(payload.getBytes(StandardCharsets.UTF_8))
        + "."
        + encode(by.sign(by.current(), purpose, payload));
  }

  @Example
  void aTokenIsDecodedToItsPass() {
    assertThat(codec.decode(codec.encode(PASS))).contains(PASS);
  }

  @Example
  void theSamePassGivesTheSameToken() {
    assertThat(codec.encode(PASS)).isEqualTo(codec.encode(PASS));
  }

  @Property(tries = 200)
  void everyTokenIsDecodedToItsPass(@ForAll long expiry, @ForAll long epoch) {
    Pass pass =
        new Pass(PASS.session(), PASS.deviceHash(), PASS.product(), PASS.nonce(), expiry, epoch);
    assertThat(codec.decode(codec.encode(pass))).contains(pass);
  }

  @Example
  void anotherServersTokenIsRefused() {
    PassCodec other = new PassCodec(new KeyRing("k1", Map.of("k1", TWO)));
    assertThat(codec.decode(other.encode(PASS))).isEmpty();
  }

  @Example
  void aTokenUnderAnUnknownKeyIdIsRefused() {
    PassCodec other = new PassCodec(new KeyRing("k2", Map.of("k2", ONE)));
    assertThat(codec.decode(other.encode(PASS))).isEmpty();
  }

  @Example
  void aSignatureMadeForAnotherPurposeIsRefused() {
    assertThat(codec.decode(signed(ring, "purchase-token", payload("k1")))).isPresent();
    assertThat(codec.decode(signed(ring, "device", payload("k1")))).isEmpty();
  }

  @Example
  void aSignedPayloadOfTheWrongShapeIsRefused() {
    for (String shape :
        new String[] {
          "",
          "1|k1",
          "1|k1|x|" + PASS.session() + "|d|n|1|1",
          payload("k1") + "|more",
          "1|k1|7|not-a-session|d|n|1|1",
          "1|k1|7|" + PASS.session() + "|d|n|late|1"
        }) {
      assertThat(codec.decode(signed(ring, "purchase-token", shape))).as(shape).isEmpty();
    }
  }

  @Example
  void aLongerTokenThanAnyOfOursIsRefused() {
    assertThat(codec.decode("A".repeat(10_000) + "." + "A".repeat(10_000))).isEmpty();
  }

  @Property(tries = 400)
  void aChangedCharacterIsRefused(
      @ForAll @IntRange(max = 500) int at, @ForAll @IntRange(min = 33, max = 126) int to) {
    StringBuilder token = new StringBuilder(codec.encode(PASS));
    int place = at % token.length();
    char was = token.charAt(place);
    token.setCharAt(place, (char) to);
    if (was != (char) to) {
      assertThat(codec.decode(token.toString())).isEmpty();
    }
  }

  @Example
  void otherEncodingsOfTheSameBytesAreRefused() {
    String token = codec.encode(PASS);
    for (char c = '!'; c <= '~'; c++) {
      String other = token.substring(0, token.length() - 1) + c;
      assertThat(codec.decode(other).isPresent()).as(other).isEqualTo(other.equals(token));
    }
    assertThat(codec.decode(token + "=")).isEmpty();
    assertThat(codec.decode(token.replace(".", "=."))).isEmpty();
  }

  @Property(tries = 300)
  void aTruncatedTokenIsRefused(@ForAll @IntRange(max = 500) int length) {
    String token = codec.encode(PASS);
    assertThat(codec.decode(token.substring(0, length % token.length()))).isEmpty();
  }

  @Property(tries = 1_000)
  void garbageIsRefused(@ForAll @StringLength(max = 600) String garbage) {
    assertThat(codec.decode(garbage)).isEmpty();
    assertThat(codec.decode(garbage + "." + garbage)).isEmpty();
  }
}
