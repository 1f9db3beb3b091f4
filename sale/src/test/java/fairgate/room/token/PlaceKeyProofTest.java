package fairgate.room.token;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.platform.json.Jws;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PlaceKeyProofTest {
  private static final long NOW = 1_795_345_200;
  private static final String PATH = "/q/tour/enter";
  private static final String PLACE = "place.token.here";

  private final KeyPair pair = pair();
  private final String x = coordinate(((ECPublicKey) pair.getPublic()).getW().getAffineX());
  private final String y = coordinate(((ECPublicKey) pair.getPublic()).getW().getAffineY());
  private final KeyBinding binding = KeyBinding.ofKey(x, y);

  private static KeyPair pair() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String coordinate(BigInteger value) {
    byte[] bytes = value.toByteArray();
    byte[] fixed = new byte[32];
    int length = Math.min(32, bytes.length);
    System.arraycopy(bytes, bytes.length - length, fixed, 32 - length, length);
    return Jws.encoded(fixed);
  }

  private String proof(String method, String path, String place, long at) {
    String header =
        "{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\",\"jwk\":{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\""
            + x
            + "\",\"y\":\""
            + y
            + "\"}}";
    String claims =
        "{\"htm\":\"%s\",\"htu\":\"https://shop.example%s\",\"iat\":%d,\"jti\":\"j\",\"ath\":\"%s\"}"
            .formatted(method, path, at, PlaceKeyProof.hashOf(place));
    String input = Jws.encoded(header) + '.' + Jws.encoded(claims);
    byte[] message = input.getBytes(StandardCharsets.US_ASCII);
    return input + '.' + Jws.encoded(Jws.sign(Jws.ES256, pair.getPrivate(), message));
  }

  private boolean isValid(String proof) {
    return PlaceKeyProof.isValid(proof, binding, PATH, PLACE, NOW);
  }

  @Test
  void theOwnerOfTheKeyIsRecognized() {
    assertThat(isValid(proof("POST", PATH, PLACE, NOW - 10))).isTrue();
  }

  @Test
  void aProofForAnotherUseIsRefused() {
    assertThat(isValid(proof("GET", PATH, PLACE, NOW))).isFalse();
    assertThat(isValid(proof("POST", "/q/tour/leave", PLACE, NOW))).isFalse();
    assertThat(isValid(proof("POST", PATH, "another.token", NOW))).isFalse();
    assertThat(isValid(proof("POST", PATH, PLACE, NOW - 301))).isFalse();
    assertThat(isValid("not a proof")).isFalse();
    assertThat(isValid("")).isFalse();
  }

  @Test
  void anotherKeyAndAChangedProofAreRefused() {
    String good = proof("POST", PATH, PLACE, NOW);
    KeyBinding other = KeyBinding.ofKey(y, x);
    assertThat(PlaceKeyProof.isValid(good, other, PATH, PLACE, NOW)).isFalse();
    KeyBinding secret = KeyBinding.ofSecret(new byte[32]);
    assertThat(PlaceKeyProof.isValid(good, secret, PATH, PLACE, NOW)).isFalse();
    String[] parts = good.split("\\.", -1);
    byte[] wrong = new byte[64];
    Arrays.fill(wrong, (byte) 1);
    assertThat(isValid(parts[0] + '.' + parts[1] + '.' + Jws.encoded(wrong))).isFalse();
  }
}
