package fairgate.room.token;

import fairgate.platform.json.Jws;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;

/// The `cnf` of a token: only the browser that has the key or the secret behind it can use the
/// token.
///
/// @param value 32 bytes as base64url
public record KeyBinding(Kind kind, String value) {
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-]{43}");
  private static final byte[] HOLD = "fairgate-hold/1\n".getBytes(StandardCharsets.US_ASCII);

  public enum Kind {
    /// The thumbprint (RFC 7638) of a P-256 key that the browser cannot export.
    KEY("jkt"),
    /// The hash of a secret that only the browser has.
    SECRET("hold");

    private final String member;

    Kind(String member) {
      this.member = member;
    }

    /// The name of the member of `cnf`.
    public String member() {
      return member;
    }
  }

  public KeyBinding {
    if (!isHash(value)) {
      throw new IllegalArgumentException("a key binding is 32 bytes as base64url");
    }
  }

  /// Whether the text is 32 bytes as canonical base64url.
  public static boolean isHash(String text) {
    // The last character has two unused bits.
    return FORM.matcher(text).matches()
        && Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(Base64.getUrlDecoder().decode(text))
            .equals(text);
  }

  public static KeyBinding ofSecret(byte[] secret) {
    byte[] message = Arrays.copyOf(HOLD, HOLD.length + secret.length);
    System.arraycopy(secret, 0, message, HOLD.length, secret.length);
    return new KeyBinding(Kind.SECRET, encoded(sha256(message)));
  }

  /// The binding to a public key.
  ///
  /// @param x coordinate of the point, 32 bytes as base64url
  /// @param y coordinate of the point, likewise
  public static KeyBinding ofKey(String x, String y) {
    String members = "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"" + x + "\",\"y\":\"" + y + "\"}";
    return new KeyBinding(Kind.KEY, encoded(sha256(members.getBytes(StandardCharsets.US_ASCII))));
  }

  /// Whether the secret is the one behind this binding, compared in constant time.
  ///
  /// @param secret base64url, at most 64 bytes
  public boolean isSecret(String secret) {
    Optional<byte[]> bytes = secret.length() > 86 ? Optional.empty() : Jws.decoded(secret);
    return kind == Kind.SECRET && bytes.filter(it -> ofSecret(it).matches(value)).isPresent();
  }

  /// Whether the value is equal, compared in constant time.
  public boolean matches(String other) {
    return MessageDigest.isEqual(
        value.getBytes(StandardCharsets.US_ASCII), other.getBytes(StandardCharsets.US_ASCII));
  }

  private static String encoded(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static byte[] sha256(byte[] message) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(message);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is missing from this Java", e);
    }
  }
}
