package fairgate.operator.access;

import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Locale;
import java.util.OptionalLong;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// One-time codes from the time (RFC 6238): HMAC-SHA-1, six digits, a new code every 30 seconds, as
/// all authenticator apps make them.
public final class Totp {
  /// The length of a secret in bytes.
  public static final int SECRET_BYTES = 20;

  private static final int STEP_SECONDS = 30;
  private static final int DIGITS = 6;
  private static final int MODULUS = 1_000_000;

  /// Codes of this many steps before and after now are accepted, for clocks that are wrong.
  private static final int TOLERANCE = 1;

  private static final String BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

  private Totp() {}

  /// The time step of an instant.
  static long step(Instant now) {
    return Math.floorDiv(now.getEpochSecond(), STEP_SECONDS);
  }

  /// The code of a secret at a time.
  public static String code(byte[] secret, Instant now) {
    return code(secret, step(now));
  }

  private static String code(byte[] secret, long step) {
    byte[] hash = hmac(secret, ByteBuffer.allocate(Long.BYTES).putLong(step).array());
    int offset = hash[hash.length - 1] & 0xf;
    int number = ByteBuffer.wrap(hash).getInt(offset) & Integer.MAX_VALUE;
    return String.format(Locale.ROOT, "%0" + DIGITS + "d", number % MODULUS);
  }

  /// The time step of a correct code; empty for a wrong code. Takes the same time for all codes.
  static OptionalLong match(byte[] secret, String code, Instant now) {
    byte[] given = code.getBytes(StandardCharsets.UTF_8);
    long found = -1;
    for (long step = step(now) - TOLERANCE; step <= step(now) + TOLERANCE; step++) {
      boolean same =
          MessageDigest.isEqual(code(secret, step).getBytes(StandardCharsets.UTF_8), given);
      found = same ? step : found;
    }
    return found < 0 ? OptionalLong.empty() : OptionalLong.of(found);
  }

  /// The address from which an app takes the secret, as a link or a QR code.
  static String uri(byte[] secret, String operator) {
    String label = URLEncoder.encode(operator, StandardCharsets.UTF_8).replace("+", "%20");
    return "otpauth://totp/Fairgate:" + label + "?secret=" + base32(secret) + "&issuer=Fairgate";
  }

  /// The secret as text, without padding (RFC 4648).
  static String base32(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    int bits = 0;
    int held = 0;
    for (byte next : bytes) {
      bits = bits << Byte.SIZE | (next & 0xff);
      held += Byte.SIZE;
      while (held >= 5) {
        held -= 5;
        text.append(BASE32.charAt(bits >> held & 31));
      }
      bits &= (1 << held) - 1;
    }
    if (held > 0) {
      text.append(BASE32.charAt(bits << (5 - held) & 31));
    }
    return text.toString();
  }

  private static byte[] hmac(byte[] secret, byte[] message) {
    try {
      Mac mac = Mac.getInstance("HmacSHA1");
      mac.init(new SecretKeySpec(secret, "HmacSHA1"));
      return mac.doFinal(message);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This JVM has no HMAC-SHA-1", e);
    }
  }
}
