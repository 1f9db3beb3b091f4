package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

final class JoinTokensTest {
  private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
  private static final KeyRing KEYS = new KeyRing("k1", Map.of("k1", new byte[32]));
  private static final ProductId PRODUCT = new ProductId("7");

  private static JoinTokens at(Instant now) {
    return new JoinTokens(KEYS, new LineIds(), Clock.fixed(now, ZoneOffset.UTC));
  }

  @Test
  void aTokenContainsItsUserAndProduct() {
    JoinTokens tokens = at(NOW);
    String token = tokens.issue("Uanna", PRODUCT);
    assertThat(tokens.read(token))
        .hasValueSatisfying(
            link -> {
              assertThat(link.userId()).isEqualTo("Uanna");
              assertThat(link.product()).isEqualTo(PRODUCT);
            });
    assertThat(tokens.issue("Uanna", PRODUCT)).isNotEqualTo(token);
  }

  @Test
  void aTokenExpiresAfterADay() {
    String token = at(NOW).issue("Uanna", PRODUCT);
    assertThat(at(NOW.plus(Duration.ofHours(23))).read(token)).isPresent();
    assertThat(at(NOW.plus(Duration.ofHours(24))).read(token)).isEmpty();
  }

  @Test
  void aTokenOfAnotherServerIsInvalid() {
    byte[] other = new byte[32];
    other[0] = 1;
    JoinTokens theirs =
        new JoinTokens(
            new KeyRing("k1", Map.of("k1", other)),
            new LineIds(),
            Clock.fixed(NOW, ZoneOffset.UTC));
    assertThat(at(NOW).read(theirs.issue("Uanna", PRODUCT))).isEmpty();
  }

  @Test
  void aSignatureForAnotherPurposeIsInvalid() {
    String payload = "1|k1|Uanna|7|nonce|" + NOW.plusSeconds(60).toEpochMilli();
    Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
    String token =
        encoder.encodeToString(payload.getBytes(java.nio.charset.StandardCharsets.UTF_8))
            + "."
            + encoder.encodeToString(KEYS.sign("k1", "purchase-token", payload));
    assertThat(at(NOW).read(token)).isEmpty();
  }

  @Property(tries = 300)
  void anyChangeInvalidatesTheToken(@ForAll int at, @ForAll char c) {
    String token = at(NOW).issue("Uanna", PRODUCT);
    int where = Math.floorMod(at, token.length());
    String changed = token.substring(0, where) + c + token.substring(where + 1);
    assertThat(at(NOW).read(changed).isPresent()).isEqualTo(changed.equals(token));
  }

  @Property(tries = 300)
  void garbageIsInvalid(@ForAll String text) {
    assertThat(at(NOW).read(text)).isEmpty();
  }
}
