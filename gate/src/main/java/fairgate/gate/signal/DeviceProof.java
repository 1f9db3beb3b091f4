package fairgate.gate.signal;

import fairgate.kernel.Hashes;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import fairgate.platform.json.JsonText;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Verifies proofs of possession of a device key: compact JWS as in RFC 9449 (DPoP), signed with
/// ES256 by a key that the browser cannot export.
///
/// The header has `typ` `dpop+jwt`, `alg` `ES256` and the public key as `jwk`. The payload has
/// `htm` and `htu` (the method and the URL, of which the path counts), `iat` (seconds) and `jti`,
/// and what the request is about: every claim that [Expected] names must have exactly its value, so
/// a proof fits one request only. Cheap checks come first; only a proof that fits costs a signature
/// check.
final class DeviceProof {
  static final String HEADER = "dpop";

  private static final int LONGEST = 2_048;
  private static final int SIGNATURE_BYTES = 64;
  private static final int SHORTEST_JTI = 16;
  private static final int LONGEST_JTI = 64;

  /// Pages know the server's clock to about a second; the rest is for slow networks.
  private static final Duration TOLERANCE = Duration.ofMinutes(2);

  private static final Base64.Decoder DECODER = Base64.getUrlDecoder();
  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

  private DeviceProof() {}

  sealed interface Result {
    /// There is no proof, as from an old browser or a program.
    record Absent() implements Result {}

    /// The key is proved.
    ///
    /// @param thumbprint of the key by RFC 7638, 43 characters
    /// @param id of the proof, by its sender
    /// @param until the end of its life, ms
    record Valid(String thumbprint, String id, long until) implements Result {}

    /// The proof is right, but another request had it before.
    record Used() implements Result {}

    /// The proof is wrong.
    ///
    /// @param reason for tests and counters
    record Invalid(String reason) implements Result {}

    /// The node has too many proofs to check; nothing is known about this one.
    record Unchecked() implements Result {}
  }

  /// The claims of the request.
  ///
  /// @param claims further claims with their values
  record Expected(String method, String path, Map<String, String> claims) {}

  private static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String reason) {
      super(reason, null, false, false);
    }
  }

  /// @param proof the value of the header; null when absent
  static Result verify(@Nullable String proof, Expected expected, long nowMillis) {
    if (proof == null) {
      return new Result.Absent();
    }
    try {
      return valid(proof, expected, nowMillis);
    } catch (Refused e) {
      return new Result.Invalid(String.valueOf(e.getMessage()));
    }
  }

  /// The value of a claim that binds a proof to a text.
  static String digest(String text) {
    return ENCODER.encodeToString(Hashes.sha256(text));
  }

  private static Result.Valid valid(String proof, Expected expected, long nowMillis)
      throws Refused {
    int first = proof.indexOf('.');
    int second = proof.indexOf('.', first + 1);
    if (proof.length() > LONGEST
        || first < 0
        || second < 0
        || proof.indexOf('.', second + 1) >= 0) {
      throw new Refused("form");
    }
    JsonObject header = object(proof.substring(0, first));
    JsonObject payload = object(proof.substring(first + 1, second));
    if (!"dpop+jwt".equals(header.get("typ")) || !"ES256".equals(header.get("alg"))) {
      throw new Refused("header");
    }
    Proof claims = claims(payload, expected, nowMillis);
    if (!(header.get("jwk") instanceof JsonObject jwk)
        || !"EC".equals(jwk.get("kty"))
        || !"P-256".equals(jwk.get("crv"))
        || !(jwk.get("x") instanceof String x)
        || !(jwk.get("y") instanceof String y)
        || jwk.has("d")) {
      throw new Refused("key");
    }
    PublicKey key = P256.publicKey(bytes(x), bytes(y));
    byte[] signature = bytes(proof.substring(second + 1));
    if (key == null) {
      throw new Refused("key");
    }
    if (signature.length != SIGNATURE_BYTES || !isSigned(key, proof, second, signature)) {
      throw new Refused("signature");
    }
    String canonical =
        JsonText.object().put("crv", "P-256").put("kty", "EC").put("x", x).put("y", y).toString();
    return new Result.Valid(
        ENCODER.encodeToString(Hashes.sha256(canonical)), claims.id(), claims.until());
  }

  /// The id of a proof and the end of its life, ms.
  private record Proof(String id, long until) {}

  private static Proof claims(JsonObject payload, Expected expected, long nowMillis)
      throws Refused {
    if (!expected.method().equals(payload.get("htm"))
        || !(payload.get("htu") instanceof String url)
        || !expected.path().equals(path(url))) {
      throw new Refused("request");
    }
    if (!(payload.get("iat") instanceof Long issued)
        || Math.abs(nowMillis / 1_000 - issued) > TOLERANCE.toSeconds()) {
      throw new Refused("time");
    }
    if (!(payload.get("jti") instanceof String id)
        || id.length() < SHORTEST_JTI
        || id.length() > LONGEST_JTI) {
      throw new Refused("jti");
    }
    for (Map.Entry<String, String> claim : expected.claims().entrySet()) {
      if (!claim.getValue().equals(payload.get(claim.getKey()))) {
        throw new Refused(claim.getKey());
      }
    }
    return new Proof(id, (issued + TOLERANCE.toSeconds() + 1) * 1_000);
  }

  /// The path of an absolute URL; proxies can change the rest.
  private static String path(String url) {
    int host = url.indexOf("://");
    int path = host < 0 ? 0 : url.indexOf('/', host + 3);
    return path < 0 ? "/" : url.substring(path);
  }

  private static boolean isSigned(PublicKey key, String proof, int end, byte[] signature) {
    try {
      Signature verifier = Signature.getInstance("SHA256withECDSAinP1363Format");
      verifier.initVerify(key);
      verifier.update(proof.substring(0, end).getBytes(StandardCharsets.US_ASCII));
      return verifier.verify(signature);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private static JsonObject object(String encoded) throws Refused {
    try {
      return Json.parseObject(bytes(encoded));
    } catch (JsonSyntaxException e) {
      throw new Refused("json");
    }
  }

  /// Canonical base64url without padding: no two texts have the same bytes.
  private static byte[] bytes(String encoded) throws Refused {
    try {
      byte[] bytes = DECODER.decode(encoded);
      if (ENCODER.encodeToString(bytes).equals(encoded)) {
        return bytes;
      }
    } catch (IllegalArgumentException e) {
      // Refused below.
    }
    throw new Refused("base64");
  }

  /// Reads public keys of the curve P-256.
  static final class P256 {
    private static final int COORDINATE_BYTES = 32;
    private static final ECParameterSpec CURVE = curve();
    private static final BigInteger PRIME = ((ECFieldFp) CURVE.getCurve().getField()).getP();

    private P256() {}

    /// The key at a point; null when the coordinates do not have 32 bytes or the point is not on
    /// the curve.
    static @Nullable PublicKey publicKey(byte[] x, byte[] y) {
      if (x.length != COORDINATE_BYTES || y.length != COORDINATE_BYTES) {
        return null;
      }
      BigInteger pointX = new BigInteger(1, x);
      BigInteger pointY = new BigInteger(1, y);
      if (!isOnCurve(pointX, pointY)) {
        return null;
      }
      try {
        return KeyFactory.getInstance("EC")
            .generatePublic(new ECPublicKeySpec(new ECPoint(pointX, pointY), CURVE));
      } catch (GeneralSecurityException e) {
        return null;
      }
    }

    /// Whether y^2 = x^3 + ax + b (mod p), with both coordinates below p.
    private static boolean isOnCurve(BigInteger x, BigInteger y) {
      if (x.compareTo(PRIME) >= 0 || y.compareTo(PRIME) >= 0) {
        return false;
      }
      BigInteger right =
          x.multiply(x)
              .add(CURVE.getCurve().getA())
              .multiply(x)
              .add(CURVE.getCurve().getB())
              .mod(PRIME);
      return y.multiply(y).mod(PRIME).equals(right);
    }

    private static ECParameterSpec curve() {
      try {
        AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC");
        parameters.init(new ECGenParameterSpec("secp256r1"));
        return parameters.getParameterSpec(ECParameterSpec.class);
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("P-256 is missing from this Java", e);
      }
    }
  }
}
