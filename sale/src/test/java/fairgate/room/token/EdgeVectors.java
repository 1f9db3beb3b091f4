package fairgate.room.token;

import static fairgate.room.token.VerifierVectors.CLAIMS;
import static fairgate.room.token.VerifierVectors.EPOCH;
import static fairgate.room.token.VerifierVectors.NOW;
import static fairgate.room.token.VerifierVectors.ROOM;
import static fairgate.room.token.VerifierVectors.TOKENS;

import fairgate.platform.json.JsonText;
import fairgate.platform.json.Jws;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;

/// The vectors of the edge rule: place token, head and proof of possession, with the verdict.
final class EdgeVectors {
  private static final String ENTER = "https://q.example/q/tour-tpe/enter";
  private static final byte[] SECRET = new byte[32];
  private static final JsonText SHOWN = JsonText.object().put("secret", Jws.encoded(SECRET));

  private final JsonText cases = JsonText.array();
  private final Device device = Device.fresh();
  private final String held = place(KeyBinding.ofSecret(SECRET), 412_344, EPOCH);
  private final String keyed = place(device.binding(), 412_344, EPOCH);
  private final String right = head(ROOM, EPOCH, 412_345, NOW - 2, "open");

  JsonText cases() {
    heads();
    forgedHeads();
    secrets();
    deviceKeys();
    return cases;
  }

  private void add(String name, String expected, String place, String head, JsonText proof) {
    cases.add(
        VerifierVectors.named(name, expected)
            .put("place", place)
            .put("head", head)
            .put("proof", proof));
  }

  /// A place with a secret, the right secret, and this head.
  private void withHead(String name, String expected, String head) {
    add(name, expected, held, head, SHOWN);
  }

  private void heads() {
    withHead("a turn with the secret", "ok", right);
    withHead("a head of ten seconds", "ok", head(ROOM, EPOCH, 412_345, NOW - 10, "open"));
    withHead("another order of the members", "ok", reordered(right));
    withHead("a ticket behind the drawn ones", "ok", drawn(400_000));
    withHead("a drawn ticket", "drawn", drawn(500_000));
    withHead("not yet the turn", "not_yet", head(ROOM, EPOCH, 412_344, NOW, "open"));
    withHead("a paused room", "not_open", head(ROOM, EPOCH, 412_345, NOW, "paused"));
    String late = head(ROOM, EPOCH, 412_345, NOW - 11, "open");
    withHead("a head of eleven seconds", "head_expired", late);
    String early = head(ROOM, EPOCH, 412_345, NOW + 60, "open");
    withHead("a head of the future", "head_not_yet_valid", early);
    String old = head(ROOM, EPOCH - 1, 412_345, NOW, "open");
    withHead("a head of an old epoch", "head_old_epoch", old);
  }

  private void forgedHeads() {
    String bad = "head_bad_signature";
    withHead("a forged cursor", bad, right.replace("412345", "999999"));
    withHead("a forged time", bad, right.replace("issued\":" + (NOW - 2), "issued\":" + NOW));
    withHead("a member more", bad, right.replace("{\"block\"", "{\"a\":1,\"block\""));
    withHead("a head of another room", bad, head("tour-khh", EPOCH, 412_345, NOW, "open"));
    withHead("no signature", "head_malformed", right.replaceAll("\"sig\":\"[^\"]+\",", ""));
    withHead("no head", "head_malformed", "");
  }

  private void secrets() {
    add("no proof", "no_proof", held, right, JsonText.object());
    JsonText other = JsonText.object().put("secret", Jws.encoded(VerifierVectors.sha256("x")));
    add("another secret", "no_proof", held, right, other);
    String hash = KeyBinding.ofSecret(SECRET).value();
    add("the hash as the secret", "no_proof", held, right, JsonText.object().put("secret", hash));
    String old = place(KeyBinding.ofSecret(SECRET), 1, EPOCH - 1);
    add("a place of an old epoch", "old_epoch", old, right, SHOWN);
    String pass = VerifierVectors.es256(RoomTokens.Type.PASS, CLAIMS);
    add("a pass for a place", "wrong_type", pass, right, SHOWN);
    String unbound = VerifierVectors.es256(RoomTokens.Type.PLACE, CLAIMS);
    add("a place without a binding", "no_proof", unbound, right, SHOWN);
  }

  private void deviceKeys() {
    JsonText proof = device.proof(device, keyed, "POST", ENTER, NOW);
    add("a turn with the device key", "ok", keyed, right, proof);
    add("a secret for a device key", "no_proof", keyed, right, SHOWN);
    Device other = Device.fresh();
    withKey("another device", other.proof(other, keyed, "POST", ENTER, NOW));
    withKey("another device that shows the key", other.proof(device, keyed, "POST", ENTER, NOW));
    withKey("a proof for another token", device.proof(device, held, "POST", ENTER, NOW));
    withKey("a proof for another method", device.proof(device, keyed, "GET", ENTER, NOW));
    withKey("a proof for another address", device.proof(device, keyed, "POST", ENTER + "2", NOW));
    withKey("an old proof", device.proof(device, keyed, "POST", ENTER, NOW - 301));
  }

  /// A place with a device key, the right head, and a wrong proof.
  private void withKey(String name, JsonText proof) {
    add(name, "no_proof", keyed, right, proof);
  }

  private static String place(KeyBinding binding, long ticket, long epoch) {
    return VerifierVectors.es256(
        RoomTokens.Type.PLACE,
        new RoomClaims(
            ROOM, epoch, ticket, binding, CLAIMS.id(), NOW - 900, NOW + 9_000, NOW - 900));
  }

  private static String head(String room, long epoch, long cursor, long issued, String phase) {
    String before = "{\"block\":14,\"cursor\":" + cursor + ",\"epoch\":" + epoch;
    String after =
        ",\"gone\":[0,3],\"issued\":"
            + issued
            + ",\"last\":1000000,\"msg\":{\"zh-Hant\":\"\u5019\u4f4d\"},\"phase\":\""
            + phase
            + "\",\"rate\":[20.1,18.4,1e-7],\"room\":\""
            + room
            + "\",\"seq\":184";
    byte[] canonical = (before + after + ",\"v\":1}").getBytes(StandardCharsets.UTF_8);
    return before + after + ",\"sig\":\"" + TOKENS.signHead(room, canonical) + "\",\"v\":1}";
  }

  /// A head of a room whose first tickets were drawn.
  private static String drawn(long count) {
    String text =
        "{\"cursor\":412345,\"drawn\":{\"n\":%d,\"seed\":\"AA\"},\"epoch\":%d,\"issued\":%d,\"phase\":\"open\",\"room\":\"%s\"%s}";
    String canonical = text.formatted(count, EPOCH, NOW, ROOM, "");
    String signature = TOKENS.signHead(ROOM, canonical.getBytes(StandardCharsets.UTF_8));
    return text.formatted(count, EPOCH, NOW, ROOM, ",\"sig\":\"" + signature + "\"");
  }

  private static String reordered(String head) {
    return head.replace("{\"block\":14,", "{\"v\":1, \"block\" : 14 ,").replace(",\"v\":1}", "}");
  }

  /// A browser's key.
  record Device(KeyPair keys, String x, String y) {
    static Device fresh() {
      try {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair pair = generator.generateKeyPair();
        ECPublicKey open = (ECPublicKey) pair.getPublic();
        return new Device(
            pair, coordinate(open.getW().getAffineX()), coordinate(open.getW().getAffineY()));
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }

    KeyBinding binding() {
      return KeyBinding.ofKey(x, y);
    }

    /// A proof by this key.
    ///
    /// @param shown the device whose public key is in the header
    JsonText proof(Device shown, String place, String method, String url, long issued) {
      JsonText jwk =
          JsonText.object()
              .put("crv", "P-256")
              .put("kty", "EC")
              .put("x", shown.x())
              .put("y", shown.y());
      JsonText header =
          JsonText.object().put("alg", "ES256").put("jwk", jwk).put("typ", "dpop+jwt");
      JsonText claims =
          JsonText.object()
              .put("ath", Jws.encoded(VerifierVectors.sha256(place)))
              .put("htm", method)
              .put("htu", url)
              .put("iat", issued)
              .put("jti", "AAAAAAAAAAAAAAAAAAAAAA");
      String input = Jws.encoded(header.toString()) + '.' + Jws.encoded(claims.toString());
      String token = input + '.' + VerifierVectors.signed(keys.getPrivate(), input);
      return JsonText.object().put("dpop", token).put("method", "POST").put("url", ENTER);
    }

    private static String coordinate(BigInteger value) {
      byte[] bytes = value.toByteArray();
      byte[] fixed = new byte[32];
      int length = Math.min(32, bytes.length);
      System.arraycopy(bytes, bytes.length - length, fixed, 32 - length, length);
      return Jws.encoded(fixed);
    }
  }
}
