package fairgate.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class KeyRingTest {
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

  private final KeyRing before = new KeyRing("a", Map.of("a", ONE));
  private final KeyRing rotated = new KeyRing("b", Map.of("a", ONE, "b", TWO));
  private final KeyRing after = new KeyRing("b", Map.of("b", TWO));

  private static byte[] secret(int fill) {
    byte[] secret = new byte[32];
    Arrays.fill(secret, (byte) fill);
    return secret;
  }

  @Test
  void anOldSignatureVerifiesUntilItsKeyIsRemoved() {
    byte[] signature = before.sign("p", "m");
    assertThat(rotated.verify("a", "p", "m", signature)).isTrue();
    assertThat(after.verify("a", "p", "m", signature)).isFalse();
    String token = new PassCodec(before).encode(PASS);
    assertThat(new PassCodec(rotated).decode(token)).contains(PASS);
    assertThat(new PassCodec(after).decode(token)).isEmpty();
  }

  @Test
  void newSignaturesAreMadeWithTheCurrentKey() {
    assertThat(rotated.current()).isEqualTo("b");
    assertThat(rotated.sign("p", "m"))
        .isEqualTo(after.sign("p", "m"))
        .isNotEqualTo(before.sign("p", "m"));
  }

  @Test
  void aSignatureOfOnePurposeNeverPassesForAnother() {
    assertThat(before.verify("a", "other", "m", before.sign("p", "m"))).isFalse();
  }

  @Test
  void aSignatureUnderOneKeyNeverPassesForAnother() {
    assertThat(rotated.verify("b", "p", "m", rotated.sign("a", "p", "m"))).isFalse();
  }

  @Test
  void aTruncatedSignatureIsInvalid() {
    byte[] signature = before.sign("p", "m");
    assertThat(before.verify("a", "p", "m", Arrays.copyOf(signature, 31))).isFalse();
    assertThat(before.verify("a", "p", "m", new byte[0])).isFalse();
  }

  @Test
  void rotationKeepsFingerprints() {
    assertThat(rotated.fingerprint("device", "m"))
        .isEqualTo(before.fingerprint("device", "m"))
        .matches("[A-Za-z0-9_-]{22}");
    assertThat(before.fingerprint("device", "m")).isNotEqualTo(before.fingerprint("other", "m"));
  }

  @Test
  void shortSecretsAndAMissingCurrentKeyAreRefused() {
    assertThatThrownBy(() -> new KeyRing("a", Map.of("a", new byte[31])))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("key a");
    assertThatThrownBy(() -> new KeyRing("b", Map.of("a", ONE)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
