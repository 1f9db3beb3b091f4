package fairgate.room.token;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.kernel.KeyRing;
import fairgate.platform.json.JsonText;
import fairgate.platform.json.Jws;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.Signature;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Makes `deploy/verify/vectors/vectors.json`: tokens and heads of this server, and forgeries, each
/// with the verdict that a verifier must give. Signatures differ each time.
final class VerifierVectors {
  static final long NOW = 1_795_345_200;
  static final String ROOM = "tour-tpe";
  static final long EPOCH = 7;
  static final RoomKeys KEYS = new RoomKeys(new KeyRing("k1", Map.of("k1", sha256("test master"))));
  static final RoomTokens TOKENS = new RoomTokens(KEYS, "https://q.example");

  private static final String REVOKED = "cmV2b2tlZF9wYXNzX19fXw";
  static final RoomClaims CLAIMS =
      new RoomClaims(
          ROOM, EPOCH, 412_344, null, "AAECAwQFBgcICQoLDA0ODw", NOW - 60, NOW + 540, NOW - 60);

  private final List<Pair> passes = new ArrayList<>();

  /// A named token and the verdict on it.
  record Pair(String name, String token, String expected) {}

  List<Pair> passes() {
    validOnes();
    wrongClaims();
    wrongKeys();
    wrongAlgorithms();
    wrongForms();
    return passes;
  }

  private void pass(String name, String token, String expected) {
    passes.add(new Pair(name, token, expected));
  }

  private void validOnes() {
    for (RoomTokens.Algorithm algorithm : RoomTokens.Algorithm.values()) {
      pass(
          "a valid pass, " + algorithm, TOKENS.sign(RoomTokens.Type.PASS, algorithm, CLAIMS), "ok");
    }
    pass("a renewed pass", es256(CLAIMS.renewed(NOW, NOW + 600)), "ok");
    pass("a pass in its last second", es256(CLAIMS.renewed(NOW - 600, NOW + 1)), "ok");
    pass(
        "the signer's clock is 30 seconds ahead", es256(CLAIMS.renewed(NOW + 30, NOW + 600)), "ok");
  }

  private void wrongClaims() {
    pass("the pass has just ended", es256(CLAIMS.renewed(NOW - 600, NOW)), "expired");
    pass("the pass ended long ago", es256(CLAIMS.renewed(NOW - 9_000, NOW - 8_000)), "expired");
    pass(
        "the signer's clock is 31 seconds ahead",
        es256(CLAIMS.renewed(NOW + 31, NOW + 600)),
        "not_yet_valid");
    pass("an old epoch", es256(with(ROOM, EPOCH - 1, CLAIMS.id())), "old_epoch");
    pass("a later epoch", es256(with(ROOM, EPOCH + 1, CLAIMS.id())), "old_epoch");
    pass("a revoked pass", es256(with(ROOM, EPOCH, REVOKED)), "revoked");
    String claims = CLAIMS.json("https://q.example");
    pass(
        "another room in the claims",
        own(claims.replace("\"tour-tpe\"", "\"tour-khh\"")),
        "other_room");
    pass(
        "the room in another case",
        own(claims.replace("\"tour-tpe\"", "\"TOUR-TPE\"")),
        "other_room");
    pass("two rooms", own(claims.replace("\"tour-tpe\"", "[\"tour-tpe\"]")), "other_room");
    pass(
        "the end is a text",
        own(claims.replaceAll("\"exp\":(\\d+)", "\"exp\":\"$1\"")),
        "malformed");
    pass(
        "the end is a fraction",
        own(claims.replaceAll("\"exp\":(\\d+)", "\"exp\":$1.5")),
        "malformed");
    pass("no end", own(claims.replaceAll("\"exp\":\\d+,", "")), "malformed");
    pass("the end is true", own(claims.replaceAll("\"exp\":\\d+", "\"exp\":true")), "malformed");
    pass("the end is null", own(claims.replaceAll("\"exp\":\\d+", "\"exp\":null")), "malformed");
    pass(
        "the end is beyond all numbers",
        own(claims.replaceAll("\"exp\":\\d+", "\"exp\":1e400")),
        "malformed");
    pass("a negative ticket", own(claims.replaceAll("\"t\":\\d+", "\"t\":-1")), "malformed");
    pass("no id", own(claims.replaceAll("\"jti\":\"[^\"]+\",", "")), "malformed");
    pass(
        "the id is a number",
        own(claims.replaceAll("\"jti\":\"[^\"]+\"", "\"jti\":5")),
        "malformed");
    pass("the claims are a list", own("[" + claims + "]"), "malformed");
    pass("the claims are a text", own("\"claims\""), "malformed");
    pass("the claims are cut off", own(claims.substring(0, claims.length() - 1)), "malformed");
    pass("text behind the claims", own(claims + "x"), "malformed");
  }

  private void wrongKeys() {
    String place = TOKENS.sign(RoomTokens.Type.PLACE, RoomTokens.Algorithm.ES256, CLAIMS);
    String turn = TOKENS.sign(RoomTokens.Type.TURN, RoomTokens.Algorithm.ES256, CLAIMS);
    pass("a place token", place, "wrong_type");
    pass("a turn token", turn, "wrong_type");
    pass("the turn token of the contract", contractTurn(), "wrong_type");
    pass(
        "a place token that says it is a pass",
        reheaded(place, "ES256", "tour-tpe.place.k1"),
        "unknown_key");
    pass(
        "a place token with the id of the pass key",
        reheaded(place, "ES256", "tour-tpe.pass.k1"),
        "bad_signature");
    pass("a head's key", reheaded(es256(CLAIMS), "ES256", "tour-tpe.head.k1"), "unknown_key");
    pass(
        "the HS256 key of turns",
        hmac(KEYS.edgeKey(ROOM, RoomTokens.Type.TURN, EPOCH)),
        "bad_signature");
    pass(
        "the HS256 key of another epoch",
        hmac(KEYS.edgeKey(ROOM, RoomTokens.Type.PASS, EPOCH - 1)),
        "bad_signature");
    pass("an empty HS256 key", hmac(new byte[] {0}), "bad_signature");
    RoomClaims other = with("tour-khh", EPOCH, CLAIMS.id());
    pass("another room", es256(other), "unknown_key");
    pass(
        "another room with the id of this room's key",
        reheaded(es256(other), "ES256", "tour-tpe.pass.k1"),
        "bad_signature");
    pass("an unknown key", reheaded(es256(CLAIMS), "ES256", "tour-tpe.pass.k2"), "unknown_key");
    pass("another signer with the id of the key", stranger(), "bad_signature");
  }

  private void wrongAlgorithms() {
    String[] parts = es256(CLAIMS).split("\\.", -1);
    for (String none : List.of("none", "None", "NONE", "")) {
      String header = header(none, "tour-tpe.pass.k1");
      pass("alg '" + none + "' without a signature", header + '.' + parts[1] + '.', "malformed");
      pass(
          "alg '" + none + "' with a signature",
          header + '.' + parts[1] + '.' + parts[2],
          "wrong_algorithm");
    }
    String input = header("HS256", "tour-tpe.pass.k1") + '.' + parts[1];
    byte[] point = KEYS.current(ROOM, RoomTokens.Type.PASS).open().getEncoded();
    pass(
        "HS256 with the public key as its secret",
        input + '.' + Jws.encoded(mac(point, input)),
        "wrong_algorithm");
    pass(
        "ES256 with the id of the HS256 key",
        reheaded(es256(CLAIMS), "ES256", "tour-tpe.7"),
        "wrong_algorithm");
    pass("ES384", reheaded(es256(CLAIMS), "ES384", "tour-tpe.pass.k1"), "wrong_algorithm");
    pass(
        "alg in lower case",
        reheaded(es256(CLAIMS), "es256", "tour-tpe.pass.k1"),
        "wrong_algorithm");
    String claims = parts[0] + '.' + parts[1] + '.';
    pass("a signature of zeros", claims + Jws.encoded(new byte[64]), "bad_signature");
    byte[] order =
        new BigInteger("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16)
            .toByteArray();
    byte[] orders = new byte[64];
    System.arraycopy(order, 1, orders, 0, 32);
    System.arraycopy(order, 1, orders, 32, 32);
    pass("a signature of the curve's order", claims + Jws.encoded(orders), "bad_signature");
    pass(
        "a signature in DER",
        claims + Jws.encoded(der(parts[0] + '.' + parts[1])),
        "bad_signature");
    byte[] right = Base64.getUrlDecoder().decode(parts[2]);
    pass("half a signature", claims + Jws.encoded(Arrays.copyOf(right, 32)), "bad_signature");
    pass("a longer signature", claims + Jws.encoded(Arrays.copyOf(right, 65)), "bad_signature");
    right[10] = (byte) (right[10] ^ 1);
    pass("one bit of the signature is wrong", claims + Jws.encoded(right), "bad_signature");
    String forged = CLAIMS.json("https://q.example").replace("412344", "1");
    pass("other claims", parts[0] + '.' + Jws.encoded(forged) + '.' + parts[2], "bad_signature");
    String mac = TOKENS.sign(RoomTokens.Type.PASS, RoomTokens.Algorithm.HS256, CLAIMS);
    pass(
        "half an HS256 signature",
        mac.substring(0, mac.lastIndexOf('.') + 1) + Jws.encoded(new byte[16]),
        "bad_signature");
  }

  private void wrongForms() {
    String token = es256(CLAIMS);
    String[] parts = token.split("\\.", -1);
    String claims = '.' + parts[1] + '.' + parts[2];
    pass("empty", "", "malformed");
    pass("one dot", parts[0] + '.' + parts[1], "malformed");
    pass("three dots", token + '.', "malformed");
    pass("four parts", token + '.' + parts[2], "malformed");
    pass("only dots", "..", "malformed");
    pass("a dot in front", '.' + token, "malformed");
    pass("two tokens", token + ',' + token, "malformed");
    pass("a space behind", token + ' ', "malformed");
    pass("a line end behind", token + '\n', "malformed");
    pass("a null character", token + '\0', "malformed");
    pass("quotation marks", '"' + token + '"', "malformed");
    pass("padding", parts[0] + "=." + parts[1] + '.' + parts[2], "malformed");
    pass("the other alphabet of base64", parts[0] + ".e30+/." + parts[2], "malformed");
    pass("not ASCII", parts[0] + ".\u0430\u0431." + parts[2], "malformed");
    // The last character of 64 bytes has four unused bits.
    char last = token.charAt(token.length() - 1);
    char spelled = last == 'A' ? 'B' : last == 'Q' ? 'R' : last == 'g' ? 'h' : 'x';
    pass(
        "another spelling of the signature",
        token.substring(0, token.length() - 1) + spelled,
        "malformed");
    pass("cut off", token.substring(0, token.length() - 46), "bad_signature");
    pass("huge", parts[0] + '.' + "A".repeat(5_000) + '.' + parts[2], "malformed");
    pass("a little too long", token + "A".repeat(1_025 - token.length()), "malformed");
    String all = "\"alg\":\"ES256\",\"kid\":\"tour-tpe.pass.k1\",\"typ\":\"fg-pass+jwt\"";
    pass(
        "a header member more: crit",
        Jws.encoded("{" + all + ",\"crit\":[]}") + claims,
        "malformed");
    pass(
        "a header member more: jwk", Jws.encoded("{" + all + ",\"jwk\":{}}") + claims, "malformed");
    pass(
        "a header member more: jku",
        Jws.encoded("{" + all + ",\"jku\":\"https://x.example\"}") + claims,
        "malformed");
    pass(
        "no key id",
        Jws.encoded("{\"alg\":\"ES256\",\"typ\":\"fg-pass+jwt\"}") + claims,
        "malformed");
    pass(
        "no type",
        Jws.encoded("{\"alg\":\"ES256\",\"kid\":\"tour-tpe.pass.k1\"}") + claims,
        "malformed");
    pass(
        "type JWT",
        Jws.encoded("{" + all.replace("fg-pass+jwt", "JWT") + "}") + claims,
        "wrong_type");
    pass(
        "the key id is a list",
        Jws.encoded("{" + all.replace("\"tour-tpe.pass.k1\"", "[\"tour-tpe.pass.k1\"]") + "}")
            + claims,
        "unknown_key");
    pass(
        "the header is a list",
        Jws.encoded("[" + all.replace(':', ',') + "]") + claims,
        "malformed");
    pass("the header is not JSON", Jws.encoded("pass") + claims, "malformed");
  }

  /// The whole document: the keys as the server publishes them, then those of edges.
  static String document() throws IOException {
    JsonText passes = JsonText.array();
    for (Pair pair : new VerifierVectors().passes()) {
      passes.add(named(pair.name(), pair.expected()).put("token", pair.token()));
    }
    JsonText turns =
        JsonText.array()
            .add(named("the turn token of the contract", "ok").put("token", contractTurn()))
            .add(named("a pass", "wrong_type").put("token", es256(CLAIMS)));
    JsonText document =
        JsonText.object()
            .put("room", ROOM)
            .put("epoch", EPOCH)
            .put("now", NOW)
            .put("revoked", JsonText.array().add(REVOKED))
            .put("passes", passes)
            .put("turns", turns)
            .put("edge", new EdgeVectors().cases());
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode whole = (ObjectNode) mapper.readTree(document.bytes());
    ArrayNode keys = (ArrayNode) mapper.readTree(TOKENS.jwks(ROOM)).get("keys");
    for (RoomTokens.Type type : RoomTokens.Type.values()) {
      keys.addObject()
          .put("kty", "oct")
          .put("k", Jws.encoded(KEYS.edgeKey(ROOM, type, EPOCH)))
          .put("kid", RoomKeys.edgeId(ROOM, EPOCH))
          .put("alg", "HS256")
          .put("typ", type.header());
    }
    whole.set("keys", keys);
    return mapper.writerWithDefaultPrettyPrinter().writeValueAsString(whole) + "\n";
  }

  static JsonText named(String name, String expected) {
    return JsonText.object().put("name", name).put("expected", expected);
  }

  private static String contractTurn() {
    RoomClaims claims =
        new RoomClaims(
            ROOM,
            EPOCH,
            412_344,
            KeyBinding.ofSecret(counted()),
            "AAECAwQFBgcICQoLDA0ODw",
            NOW,
            NOW + 120,
            NOW);
    return TOKENS.sign(RoomTokens.Type.TURN, RoomTokens.Algorithm.HS256, claims);
  }

  private static byte[] counted() {
    byte[] secret = new byte[32];
    for (int i = 0; i < secret.length; i++) {
      secret[i] = (byte) i;
    }
    return secret;
  }

  private static RoomClaims with(String room, long epoch, String id) {
    return new RoomClaims(
        room,
        epoch,
        CLAIMS.ticket(),
        null,
        id,
        CLAIMS.issuedAt(),
        CLAIMS.expiresAt(),
        CLAIMS.since());
  }

  private static String es256(RoomClaims claims) {
    return es256(RoomTokens.Type.PASS, claims);
  }

  static String es256(RoomTokens.Type type, RoomClaims claims) {
    return TOKENS.sign(type, RoomTokens.Algorithm.ES256, claims);
  }

  private static String header(String algorithm, String keyId) {
    return Jws.encoded(
        "{\"alg\":\"" + algorithm + "\",\"kid\":\"" + keyId + "\",\"typ\":\"fg-pass+jwt\"}");
  }

  /// A token with another header.
  private static String reheaded(String token, String algorithm, String keyId) {
    return header(algorithm, keyId) + token.substring(token.indexOf('.'));
  }

  /// Any payload, signed with the key of passes.
  private static String own(String payload) {
    String input = header("ES256", "tour-tpe.pass.k1") + '.' + Jws.encoded(payload);
    return input + '.' + signed(KEYS.current(ROOM, RoomTokens.Type.PASS).secret(), input);
  }

  private static String stranger() {
    String input =
        header("ES256", "tour-tpe.pass.k1") + '.' + Jws.encoded(CLAIMS.json("https://q.example"));
    return input + '.' + signed(EdgeVectors.Device.fresh().keys().getPrivate(), input);
  }

  private static String hmac(byte[] key) {
    String input =
        header("HS256", "tour-tpe.7") + '.' + Jws.encoded(CLAIMS.json("https://q.example"));
    return input + '.' + Jws.encoded(mac(key, input));
  }

  static String signed(PrivateKey key, String input) {
    return Jws.encoded(Jws.sign(Jws.ES256, key, input.getBytes(StandardCharsets.US_ASCII)));
  }

  private static byte[] der(String input) {
    try {
      Signature signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(KEYS.current(ROOM, RoomTokens.Type.PASS).secret());
      signature.update(input.getBytes(StandardCharsets.US_ASCII));
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] mac(byte[] key, String input) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(input.getBytes(StandardCharsets.US_ASCII));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
