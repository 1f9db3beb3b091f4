import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Checks passes of Fairgate's waiting rooms with Java 17 or later. No dependencies.
 *
 * <pre>{@code
 * var jwks = FairgateVerify.parseJson(body);   // of /.well-known/fairgate/{room}/jwks.json
 * var trust = new FairgateVerify.Trust("tour", FairgateVerify.keys(jwks), 7, Set.of());
 * FairgateVerify.Verdict verdict = FairgateVerify.verifyPass(token, trust, Instant.now().getEpochSecond());
 * }</pre>
 *
 * With HS256 the key is {@code {"kty": "oct", "alg": "HS256", "kid": "tour.7", "typ": "fg-pass+jwt", "k": "..."}}.
 */
public final class FairgateVerify {
  private static final int MAX_TOKEN = 1024;
  private static final long MAX_CLOCK_SKEW_SECONDS = 30;

  private FairgateVerify() {}

  /**
   * The facts that a pass is checked against.
   *
   * @param keys JSON Web Keys by their members
   * @param revoked ids ({@code jti}) of revoked passes
   */
  public record Trust(String room, List<Map<String, Object>> keys, long epoch, Set<String> revoked) {}

  /**
   * The result of a check.
   *
   * @param reason empty for a valid pass
   * @param claims empty for an invalid pass
   */
  public record Verdict(boolean ok, String reason, Map<String, Object> claims) {
    static Verdict refused(String reason) {
      return new Verdict(false, reason, Map.of());
    }
  }

  /** Checks the pass of a visitor, the value of the pass cookie. */
  public static Verdict verifyPass(String token, Trust trust, long nowSeconds) {
    String[] parts = token.length() > MAX_TOKEN ? new String[0] : token.split("\\.", -1);
    if (parts.length != 3) {
      return Verdict.refused("malformed");
    }
    byte[] signature = decode(parts[2]);
    Map<String, Object> header = jsonObject(decode(parts[0]));
    Map<String, Object> claims = jsonObject(decode(parts[1]));
    if (signature == null || header == null || claims == null) {
      return Verdict.refused("malformed");
    }
    String reason = signatureProblem(header, trust.keys(), signature, parts[0] + '.' + parts[1]);
    if (reason.isEmpty()) {
      reason = claimsProblem(claims, trust, nowSeconds);
    }
    return reason.isEmpty() ? new Verdict(true, "", claims) : Verdict.refused(reason);
  }

  private static String signatureProblem(
      Map<String, Object> header, List<Map<String, Object>> keys, byte[] signature, String signed) {
    if (!header.keySet().equals(Set.of("alg", "kid", "typ"))) {
      return "malformed";
    }
    if (!"fg-pass+jwt".equals(header.get("typ"))) {
      return "wrong_type";
    }
    Map<String, Object> key = null;
    for (Map<String, Object> each : keys) {
      if (header.get("typ").equals(each.get("typ")) && each.get("kid") instanceof String kid && kid.equals(header.get("kid"))) {
        key = each;
      }
    }
    if (key == null) {
      return "unknown_key";
    }
    String kind = key.get("alg") + " " + key.get("kty");
    if (!kind.equals("ES256 EC") && !kind.equals("HS256 oct") || !key.get("alg").equals(header.get("alg"))) {
      return "wrong_algorithm";
    }
    byte[] message = signed.getBytes(StandardCharsets.US_ASCII);
    boolean valid =
        kind.equals("ES256 EC") ? es256IsValid(key, signature, message) : hs256IsValid(key, signature, message);
    return valid ? "" : "bad_signature";
  }

  private static String claimsProblem(Map<String, Object> claims, Trust trust, long now) {
    for (String name : List.of("ep", "t", "iat", "exp")) {
      if (!(claims.get(name) instanceof Long number) || number < 0) {
        return "malformed";
      }
    }
    if (!(claims.get("jti") instanceof String id)) {
      return "malformed";
    }
    if (!trust.room().equals(claims.get("aud"))) {
      return "other_room";
    }
    if ((Long) claims.get("ep") != trust.epoch()) {
      return "old_epoch";
    }
    if ((Long) claims.get("iat") > now + MAX_CLOCK_SKEW_SECONDS) {
      return "not_yet_valid";
    }
    if ((Long) claims.get("exp") <= now) {
      return "expired";
    }
    return trust.revoked().contains(id) ? "revoked" : "";
  }

  private static boolean hs256IsValid(Map<String, Object> key, byte[] signature, byte[] message) {
    byte[] secret = decode(key.get("k"));
    if (secret == null || secret.length < 32) {
      return false;
    }
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      return MessageDigest.isEqual(mac.doFinal(message), signature);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("HMAC-SHA256 is missing from this Java", e);
    }
  }

  private static boolean es256IsValid(Map<String, Object> key, byte[] signature, byte[] message) {
    byte[] x = decode(key.get("x"));
    byte[] y = decode(key.get("y"));
    if (!"P-256".equals(key.get("crv")) || x == null || y == null || signature.length != 64) {
      return false;
    }
    try {
      AlgorithmParameters curve = AlgorithmParameters.getInstance("EC");
      curve.init(new ECGenParameterSpec("secp256r1"));
      ECPoint point = new ECPoint(new BigInteger(1, x), new BigInteger(1, y));
      PublicKey publicKey =
          KeyFactory.getInstance("EC")
              .generatePublic(new ECPublicKeySpec(point, curve.getParameterSpec(ECParameterSpec.class)));
      Signature verifier = Signature.getInstance("SHA256withECDSAinP1363Format");
      verifier.initVerify(publicKey);
      verifier.update(message);
      return verifier.verify(signature);
    } catch (GeneralSecurityException invalid) {
      return false;
    }
  }

  /** The bytes of base64url without padding; null for any other spelling of the same bytes. */
  private static byte[] decode(Object text) {
    if (!(text instanceof String encoded) || encoded.isEmpty()) {
      return null;
    }
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(encoded);
      return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes).equals(encoded) ? bytes : null;
    } catch (IllegalArgumentException notBase64) {
      return null;
    }
  }

  private static Map<String, Object> jsonObject(byte[] json) {
    if (json == null) {
      return null;
    }
    try {
      return parseJson(new String(json, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException notAnObject) {
      return null;
    }
  }

  /** The keys of a JWK set. */
  @SuppressWarnings("unchecked")
  public static List<Map<String, Object>> keys(Map<String, Object> jwks) {
    return (List<Map<String, Object>>) (List<?>) jwks.get("keys");
  }

  /**
   * A JSON object: strings, numbers (Long, or Double), lists, maps, Boolean and null. Throws
   * IllegalArgumentException for anything else. Use a JSON library in its place where the shop has one.
   */
  public static Map<String, Object> parseJson(String json) {
    Parser parser = new Parser(json);
    Map<String, Object> object = parser.object(0);
    parser.end();
    return object;
  }

  private static final class Parser {
    private static final int MAX_DEPTH = 8;
    private final String text;
    private int at;

    Parser(String text) {
      this.text = text;
    }

    Map<String, Object> object(int depth) {
      take('{');
      Map<String, Object> members = new LinkedHashMap<>();
      if (next() == '}') {
        at++;
        return members;
      }
      do {
        String name = string();
        take(':');
        members.put(name, value(depth + 1));
      } while (more('}'));
      return members;
    }

    private Object value(int depth) {
      if (depth > MAX_DEPTH) {
        throw new IllegalArgumentException("too deep");
      }
      return switch (next()) {
        case '{' -> object(depth);
        case '[' -> list(depth);
        case '"' -> string();
        case 't' -> word("true", Boolean.TRUE);
        case 'f' -> word("false", Boolean.FALSE);
        case 'n' -> word("null", null);
        default -> number();
      };
    }

    private List<Object> list(int depth) {
      take('[');
      List<Object> values = new ArrayList<>();
      if (next() == ']') {
        at++;
        return values;
      }
      do {
        values.add(value(depth + 1));
      } while (more(']'));
      return values;
    }

    /** Takes a comma, which means more, or the closing bracket. */
    private boolean more(char close) {
      char c = next();
      at++;
      if (c != ',' && c != close) {
        throw new IllegalArgumentException("expected a comma");
      }
      return c == ',';
    }

    private String string() {
      take('"');
      StringBuilder out = new StringBuilder();
      while (true) {
        char c = read();
        if (c == '"') {
          return out.toString();
        }
        if (c < ' ') {
          throw new IllegalArgumentException("control character");
        }
        out.append(c == '\\' ? escaped(read()) : c);
      }
    }

    private char escaped(char c) {
      int index = "\"\\/bfnrt".indexOf(c);
      if (index >= 0) {
        return "\"\\/\b\f\n\r\t".charAt(index);
      }
      if (c != 'u' || at + 4 > text.length()) {
        throw new IllegalArgumentException("unknown escape");
      }
      at += 4;
      return (char) Integer.parseInt(text, at - 4, at, 16);
    }

    private Object number() {
      int begin = at;
      while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
        at++;
      }
      String digits = text.substring(begin, at);
      if (digits.matches("-?(0|[1-9][0-9]{0,17})")) {
        return Long.valueOf(digits);
      }
      return Double.valueOf(digits);
    }

    private Object word(String word, Object value) {
      if (!text.startsWith(word, at)) {
        throw new IllegalArgumentException("unknown word");
      }
      at += word.length();
      return value;
    }

    private char next() {
      while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
        at++;
      }
      if (at == text.length()) {
        throw new IllegalArgumentException("unexpected end");
      }
      return text.charAt(at);
    }

    private char read() {
      if (at == text.length()) {
        throw new IllegalArgumentException("unexpected end");
      }
      return text.charAt(at++);
    }

    private void take(char expected) {
      if (next() != expected) {
        throw new IllegalArgumentException("expected " + expected);
      }
      at++;
    }

    void end() {
      while (at < text.length()) {
        if (" \t\r\n".indexOf(text.charAt(at++)) < 0) {
          throw new IllegalArgumentException("text after the end");
        }
      }
    }
  }
}
