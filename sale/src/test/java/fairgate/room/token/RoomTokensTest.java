package fairgate.room.token;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.KeyRing;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.Jws;
import fairgate.room.token.RoomTokens.TokenOutcome.Invalid;
import fairgate.room.token.RoomTokens.TokenOutcome.Reason;
import fairgate.room.token.RoomTokens.TokenOutcome.Valid;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RoomTokensTest {
  private static final long NOW = 1_795_345_200;
  private static final String ROOM = "tour-tpe";
  private static final String ISSUER = "https://q.example";
  private static final String VECTOR =
      "eyJhbGciOiJIUzI1NiIsImtpZCI6InRvdXItdHBlLjciLCJ0eXAiOiJmZy10dXJuK2p3dCJ9."
          + "eyJhdWQiOiJ0b3VyLXRwZSIsImNuZiI6eyJob2xkIjoiWV9LbGxGLUVwek5YVF9nQTBfVmpQV0xrYUloN0pFQk9D"
          + "b2xCRmItVzlXNCJ9LCJlcCI6NywiZXhwIjoxNzk1MzQ1MzIwLCJpYXQiOjE3OTUzNDUyMDAsImlzcyI6Imh0dHBz"
          + "Oi8vcS5leGFtcGxlIiwianRpIjoiQUFFQ0F3UUZCZ2NJQ1FvTERBME9EdyIsInQiOjQxMjM0NH0."
          + "bXRBuJwe1of0UylcnTY--fDyg-Gubi0-EyLnczmZnfM";

  private final KeyRing ring = new KeyRing("k1", Map.of("k1", sha256("test master")));
  private final RoomKeys keys = new RoomKeys(ring);
  private final RoomTokens tokens = new RoomTokens(keys, ISSUER);
  private final KeyBinding binding = KeyBinding.ofSecret(secret());
  private final RoomClaims claims =
      new RoomClaims(ROOM, 7, 412_344, binding, "AAECAwQFBgcICQoLDA0ODw", NOW, NOW + 120, NOW);

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] secret() {
    byte[] secret = new byte[32];
    for (int i = 0; i < secret.length; i++) {
      secret[i] = (byte) i;
    }
    return secret;
  }

  private static RoomTokens.Scope scope(RoomTokens.Algorithm algorithm) {
    return new RoomTokens.Scope(ROOM, 7, algorithm);
  }

  private Reason reason(RoomTokens.Type type, RoomTokens.Scope scope, String token, long now) {
    return switch (tokens.verify(type, scope, token, now)) {
      case Valid valid -> throw new AssertionError("valid: " + valid);
      case Invalid(Reason reason) -> reason;
    };
  }

  @Test
  void theBindingToASecretIsTheOneOfTheVector() {
    assertThat(binding.value()).isEqualTo("Y_KllF-EpzNXT_gA0_VjPWLkaIh7JEBOColBFb-W9W4");
    assertThat(binding.isSecret(Jws.encoded(secret()))).isTrue();
    assertThat(binding.isSecret(Jws.encoded(new byte[32]))).isFalse();
    assertThat(binding.isSecret("not base64")).isFalse();
  }

  @Test
  void theEdgeKeyAndTheSignedTurnAreThoseOfTheVector() {
    assertThat(HexFormat.of().formatHex(keys.edgeKey(ROOM, RoomTokens.Type.TURN, 7)))
        .isEqualTo("61c510d70ff098dfada588226fa5af50523f6b6fec4dc2ca61befd4b30abda2c");
    assertThat(tokens.sign(RoomTokens.Type.TURN, RoomTokens.Algorithm.HS256, claims))
        .isEqualTo(VECTOR);
    assertThat(tokens.verify(RoomTokens.Type.TURN, scope(RoomTokens.Algorithm.HS256), VECTOR, NOW))
        .isEqualTo(new Valid(claims));
  }

  @Test
  void aTokenOfEachTypeAndAlgorithmReturnsItsClaims() {
    for (RoomTokens.Algorithm algorithm : RoomTokens.Algorithm.values()) {
      for (RoomTokens.Type type : RoomTokens.Type.values()) {
        String token = tokens.sign(type, algorithm, claims);
        assertThat(tokens.verify(type, scope(algorithm), token, NOW)).isEqualTo(new Valid(claims));
      }
    }
  }

  @Test
  void aTokenIsRecognizedWithoutItsSignatureAndNoOtherIs() {
    for (RoomTokens.Algorithm algorithm : RoomTokens.Algorithm.values()) {
      RoomTokens.Scope scope = scope(algorithm);
      RoomClaims tagged = tokens.tagged(RoomTokens.Type.PLACE, claims);
      String token = tokens.sign(RoomTokens.Type.PLACE, algorithm, tagged);
      assertThat(tokens.recognized(RoomTokens.Type.PLACE, scope, token, NOW)).contains(tagged);
      String unsigned = token.substring(0, token.lastIndexOf('.') + 1) + "AAAA";
      assertThat(tokens.recognized(RoomTokens.Type.PLACE, scope, unsigned, NOW)).contains(tagged);
      assertThat(tokens.verify(RoomTokens.Type.PLACE, scope, unsigned, NOW))
          .isInstanceOf(Invalid.class);

      assertThat(tokens.recognized(RoomTokens.Type.TURN, scope, token, NOW)).isEmpty();
      assertThat(tokens.recognized(RoomTokens.Type.PLACE, scope, token, NOW + 120)).isEmpty();
      assertThat(
              tokens.recognized(
                  RoomTokens.Type.PLACE, new RoomTokens.Scope(ROOM, 8, algorithm), token, NOW))
          .isEmpty();
      for (RoomClaims forged :
          List.of(
              claims,
              claims.withId("a."),
              new RoomClaims(ROOM, 7, 5, binding, tagged.id(), NOW, NOW + 120, NOW),
              new RoomClaims(ROOM, 7, 412_344, binding, tagged.id(), NOW, NOW + 999, NOW))) {
        String made = tokens.sign(RoomTokens.Type.PLACE, algorithm, forged);
        assertThat(tokens.recognized(RoomTokens.Type.PLACE, scope, made, NOW))
            .as(forged.toString())
            .isEmpty();
      }
      for (String junk : List.of("", "..", "a.b.c", "x".repeat(2_000))) {
        assertThat(tokens.recognized(RoomTokens.Type.PLACE, scope, junk, NOW)).as(junk).isEmpty();
      }
    }
  }

  @Test
  void aTokenOfOneTypeIsNoTokenOfAnotherEvenWithAForgedHeader() {
    for (RoomTokens.Algorithm algorithm : RoomTokens.Algorithm.values()) {
      for (RoomTokens.Type made : RoomTokens.Type.values()) {
        String token = tokens.sign(made, algorithm, claims);
        for (RoomTokens.Type asked : RoomTokens.Type.values()) {
          if (asked != made) {
            assertThat(reason(asked, scope(algorithm), token, NOW)).isEqualTo(Reason.WRONG_TYPE);
            String[] parts = token.split("\\.", -1);
            String header =
                new String(Base64.getUrlDecoder().decode(parts[0]), StandardCharsets.UTF_8);
            String typ = header.replace(made.header(), asked.header());
            String kid = typ.replace('.' + made.word() + '.', '.' + asked.word() + '.');
            for (String forged : List.of(typ, kid)) {
              String whole = Jws.encoded(forged) + '.' + parts[1] + '.' + parts[2];
              assertThat(reason(asked, scope(algorithm), whole, NOW))
                  .isIn(Reason.UNKNOWN_KEY, Reason.BAD_SIGNATURE);
            }
          }
        }
      }
    }
  }

  @Test
  void theAlgorithmOfATokenIsNeverBelieved() {
    String token = tokens.sign(RoomTokens.Type.TURN, RoomTokens.Algorithm.ES256, claims);
    String[] parts = token.split("\\.", -1);
    String kid = keys.current(ROOM, RoomTokens.Type.TURN).id();
    for (String alg : List.of("none", "None", "HS256", "ES384", "EdDSA")) {
      String header = "{\"alg\":\"" + alg + "\",\"kid\":\"" + kid + "\",\"typ\":\"fg-turn+jwt\"}";
      for (String signature : List.of("", parts[2])) {
        String forged = Jws.encoded(header) + '.' + parts[1] + '.' + signature;
        assertThat(reason(RoomTokens.Type.TURN, scope(RoomTokens.Algorithm.ES256), forged, NOW))
            .isIn(Reason.WRONG_TYPE, Reason.MALFORMED);
      }
    }
    assertThat(reason(RoomTokens.Type.TURN, scope(RoomTokens.Algorithm.ES256), VECTOR, NOW))
        .isEqualTo(Reason.WRONG_TYPE);
  }

  @Test
  void aTokenOfAnotherRoomEpochOrTimeIsRefused() {
    String token = tokens.sign(RoomTokens.Type.PASS, RoomTokens.Algorithm.ES256, claims);
    var other = new RoomTokens.Scope("other", 7, RoomTokens.Algorithm.ES256);
    var later = new RoomTokens.Scope(ROOM, 8, RoomTokens.Algorithm.ES256);
    assertThat(reason(RoomTokens.Type.PASS, other, token, NOW)).isEqualTo(Reason.UNKNOWN_KEY);
    assertThat(reason(RoomTokens.Type.PASS, later, token, NOW)).isEqualTo(Reason.OLD_EPOCH);
    var here = scope(RoomTokens.Algorithm.ES256);
    assertThat(reason(RoomTokens.Type.PASS, here, token, NOW + 120)).isEqualTo(Reason.EXPIRED);
    assertThat(reason(RoomTokens.Type.PASS, here, token, NOW - 31)).isEqualTo(Reason.NOT_YET);
    assertThat(tokens.verify(RoomTokens.Type.PASS, here, token, NOW + 119))
        .isInstanceOf(Valid.class);
  }

  @Test
  void noChangedCharacterLeavesATokenValid() {
    for (RoomTokens.Algorithm algorithm : RoomTokens.Algorithm.values()) {
      String token = tokens.sign(RoomTokens.Type.PLACE, algorithm, claims);
      for (int i = 0; i < token.length(); i += 3) {
        char other = token.charAt(i) == 'A' ? 'B' : 'A';
        String changed = token.substring(0, i) + other + token.substring(i + 1);
        assertThat(tokens.verify(RoomTokens.Type.PLACE, scope(algorithm), changed, NOW))
            .as(changed)
            .isInstanceOf(Invalid.class);
      }
      for (String bad : List.of("", ".", "..", "a.b", "a.b.c.d", token + "=", token + ".")) {
        assertThat(tokens.verify(RoomTokens.Type.PLACE, scope(algorithm), bad, NOW))
            .isInstanceOf(Invalid.class);
      }
    }
  }

  @Test
  void tokensOfAnOlderMasterKeyStayValidUntilItIsRemoved() {
    String old = tokens.sign(RoomTokens.Type.PASS, RoomTokens.Algorithm.ES256, claims);
    String oldEdge = tokens.sign(RoomTokens.Type.PASS, RoomTokens.Algorithm.HS256, claims);
    byte[] fresh = sha256("new master");
    var both = new KeyRing("k2", Map.of("k2", fresh, "k1", sha256("test master")));
    var rotated = new RoomTokens(new RoomKeys(both), ISSUER);
    var removed = new RoomTokens(new RoomKeys(new KeyRing("k2", Map.of("k2", fresh))), ISSUER);
    var es256 = scope(RoomTokens.Algorithm.ES256);
    var hs256 = scope(RoomTokens.Algorithm.HS256);
    assertThat(rotated.verify(RoomTokens.Type.PASS, es256, old, NOW)).isInstanceOf(Valid.class);
    assertThat(rotated.verify(RoomTokens.Type.PASS, hs256, oldEdge, NOW)).isInstanceOf(Valid.class);
    assertThat(removed.verify(RoomTokens.Type.PASS, es256, old, NOW)).isInstanceOf(Invalid.class);
    assertThat(removed.verify(RoomTokens.Type.PASS, hs256, oldEdge, NOW))
        .isInstanceOf(Invalid.class);
  }

  @Test
  void theJwkSetHasOneKeyPerTypeAndOneForHeads() {
    JsonObject set = Json.parseObject(keys.jwks(ROOM));
    assertThat(set.get("keys")).isInstanceOf(List.class);
    List<?> all = (List<?>) set.get("keys");
    assertThat(all)
        .extracting(key -> ((JsonObject) key).get("typ"))
        .containsExactly("fg-place+jwt", "fg-turn+jwt", "fg-pass+jwt", "fg-head+json");
    assertThat(all).extracting(key -> ((JsonObject) key).get("x")).doesNotHaveDuplicates();
    assertThat(new String(keys.jwks(ROOM), StandardCharsets.UTF_8)).doesNotContain("\"d\"");
  }

  @Test
  void theHeadIsSignedWithItsOwnKey() {
    byte[] head = "{\"cursor\":5}".getBytes(StandardCharsets.UTF_8);
    String signature = tokens.signHead(ROOM, head);
    assertThat(tokens.verifyHead(ROOM, head, signature)).isTrue();
    assertThat(tokens.verifyHead("other", head, signature)).isFalse();
    assertThat(tokens.verifyHead(ROOM, "{}".getBytes(StandardCharsets.UTF_8), signature)).isFalse();
  }

  @Test
  void theThumbprintOfAKeyIsThatOfRfc7638() {
    // The key of RFC 7517, appendix A.1; its thumbprint was computed with another program.
    assertThat(
            KeyBinding.ofKey(
                    "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
                    "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM")
                .value())
        .isEqualTo("cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s");
  }

  @Test
  void aReturnUrlIsFollowedOnlyAsSigned() {
    ReturnUrls urls = new ReturnUrls(ring);
    String signed = urls.sign(ROOM, "https://shop.example/cart?a=1");
    assertThat(urls.open(ROOM, signed)).contains("https://shop.example/cart?a=1");
    assertThat(urls.open("other", signed)).isEmpty();
    String[] parts = signed.split("\\.", -1);
    String evil = Jws.encoded("https://evil.example/");
    for (String bad :
        List.of(
            "",
            evil,
            evil + '.' + parts[1] + '.' + parts[2],
            parts[0] + ".k9." + parts[2],
            parts[0] + '.' + parts[1] + '.',
            "x".repeat(9_000))) {
      assertThat(urls.open(ROOM, bad)).isEmpty();
    }
  }
}
