package fairgate.redeem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClaimSignatureTest {
  private static final Instant NOW = Instant.parse("2026-01-08T10:00:00Z");
  private static final long LATER = NOW.getEpochSecond() + 60;
  private static final String ORDER = "TB20260108123456789";

  /// `printf 'TB20260108123456789:basic' | openssl dgst -sha256 -hmac your_secret_key`
  private static final String PLAIN =
      "fb100c355736e8c4d7cb837c3b0bcf66342045ee7cc721ad3d6f869dcd44fa3d";

  private final ClaimSignature signature = signature(false);

  private static ClaimSignature signature(boolean plain) {
    return new ClaimSignature(
        new RedeemConfig.OrderSignature(
            true, Map.of("a", "your_secret_key", "b", "another"), plain),
        InstantSource.fixed(NOW));
  }

  private boolean accepts(@Nullable String text) {
    return signature.accepts(ORDER, "basic", text);
  }

  @Test
  void aGoodOneIsAcceptedUnderEveryKey() {
    assertThat(accepts(ClaimSignature.sign("a", "your_secret_key", LATER, ORDER, "basic")))
        .isTrue();
    assertThat(accepts(ClaimSignature.sign("b", "another", LATER, ORDER, "basic"))).isTrue();
  }

  @Test
  void anythingElseIsNot() {
    String good = ClaimSignature.sign("a", "your_secret_key", LATER, ORDER, "basic");
    assertThat(accepts(null)).isFalse();
    assertThat(accepts("")).isFalse();
    assertThat(accepts("v1.a.x.y")).isFalse();
    assertThat(accepts(good.replace("v1.a", "v1.b"))).isFalse();
    assertThat(accepts(good.replace("v1.a", "v1.c"))).isFalse();
    assertThat(accepts(good.replace(Long.toString(LATER), Long.toString(LATER + 1)))).isFalse();
    assertThat(signature.accepts(ORDER, "standard", good)).isFalse();
    assertThat(signature.accepts(ORDER + "1", "basic", good)).isFalse();
  }

  @Test
  void anExpiredOneIsNot() {
    long now = NOW.getEpochSecond();
    assertThat(accepts(ClaimSignature.sign("a", "your_secret_key", now, ORDER, "basic"))).isFalse();
    assertThat(accepts(ClaimSignature.sign("a", "your_secret_key", now + 1, ORDER, "basic")))
        .isTrue();
  }

  @Test
  void fieldsCannotBeShiftedIntoEachOther() {
    String good = ClaimSignature.sign("a", "your_secret_key", LATER, "12", "3");
    assertThat(signature.accepts("1", "23", good)).isFalse();
    assertThat(signature.accepts("12", "3", good)).isTrue();
  }

  @Test
  void thePlainFormIsTakenBehindItsSwitchOnly() {
    assertThat(accepts(PLAIN)).isFalse();
    assertThat(signature(true).accepts(ORDER, "basic", PLAIN)).isTrue();
    assertThat(signature(true).accepts(ORDER, "standard", PLAIN)).isFalse();
  }

  @Test
  void withoutSignaturesAnythingGoes() {
    assertThat(
            new ClaimSignature(RedeemConfig.OrderSignature.off(), InstantSource.system())
                .accepts(ORDER, "basic", null))
        .isTrue();
    assertThatThrownBy(() -> new RedeemConfig.OrderSignature(true, Map.of(), false))
        .hasMessageContaining("redeem.signature_keys");
  }
}
