package fairgate.platform.http;

import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/// Parses and renders cookies.
final class Cookies {
  /// Browsers accept a cookie with this prefix only over https and only from the host itself.
  static final String HOST_PREFIX = "__Host-";

  private static final String OURS = "fairgate_";

  private Cookies() {}

  /// The `set-cookie` value to send over https for a value of [#render]: Fairgate's own cookies get
  /// the prefix and `Secure`; others stay unchanged.
  static String secured(String rendered) {
    return rendered.startsWith(OURS) ? HOST_PREFIX + rendered + "; Secure" : rendered;
  }

  /// The `set-cookie` value that removes the cookie which the browser received over http.
  static String takenBack(String rendered) {
    return rendered.substring(0, rendered.indexOf('=')) + "=; Path=/; Max-Age=0; HttpOnly";
  }

  /// The value of the first cookie with this name, without quotes around it; null when absent.
  static @Nullable String find(@Nullable String header, String name) {
    if (header == null) {
      return null;
    }
    int at = 0;
    while (at < header.length()) {
      int end = header.indexOf(';', at);
      int stop = end < 0 ? header.length() : end;
      while (at < stop && header.charAt(at) == ' ') {
        at++;
      }
      int value = at + name.length() + 1;
      if (value <= stop && header.charAt(value - 1) == '=' && header.startsWith(name, at)) {
        return unquoted(header.substring(value, stop).strip());
      }
      at = stop + 1;
    }
    return null;
  }

  /// A `set-cookie` value. Throws IllegalArgumentException when the name or the value contains a
  /// character that cookies do not allow.
  static String render(String name, String value, Duration maxAge) {
    if (!isPlain(name) || !isPlain(value)) {
      throw new IllegalArgumentException("a cookie contains a forbidden character: " + name);
    }
    return name
        + '='
        + value
        + "; Path=/; Max-Age="
        + maxAge.toSeconds()
        + "; HttpOnly; SameSite=Lax";
  }

  private static String unquoted(String value) {
    boolean quoted = value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"");
    return quoted ? value.substring(1, value.length() - 1) : value;
  }

  private static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c >= 0x7f || c == ';' || c == ',' || c == '"' || c == '\\') {
        return false;
      }
    }
    return true;
  }

  /// The cookie that identifies a browser: `id.keyId.signature`. The signature is the first 16
  /// bytes of HMAC-SHA256 over the id for the purpose `device-cookie`. A cookie with a wrong
  /// signature counts as absent.
  record DeviceCookie(Ids ids, KeyRing keys) {
    static final String NAME = "fairgate_device";
    static final Duration MAX_AGE = Duration.ofDays(400);

    private static final String PURPOSE = "device-cookie";
    private static final int ID_LENGTH = 22;
    private static final int SIGNATURE_BYTES = 16;
    private static final int LONGEST = 128;

    /// The device in a cookie's value; a new device when the value is absent or invalid.
    Device read(@Nullable String value) {
      DeviceId known = value == null ? null : verify(value);
      return known == null ? new Device(ids.device(), true) : new Device(known, false);
    }

    /// The cookie's value for a device, signed with the current key.
    String value(DeviceId id) {
      String keyId = keys.current();
      return id.value() + '.' + keyId + '.' + encode(sign(keyId, id.value()));
    }

    private @Nullable DeviceId verify(String value) {
      int last = value.lastIndexOf('.');
      if (value.length() > LONGEST || last < ID_LENGTH + 1 || value.charAt(ID_LENGTH) != '.') {
        return null;
      }
      String id = value.substring(0, ID_LENGTH);
      String keyId = value.substring(ID_LENGTH + 1, last);
      byte[] signature = decode(value.substring(last + 1));
      if (signature == null || !keys.knows(keyId)) {
        return null;
      }
      return MessageDigest.isEqual(sign(keyId, id), signature) ? new DeviceId(id) : null;
    }

    private byte[] sign(String keyId, String id) {
      return Arrays.copyOf(keys.sign(keyId, PURPOSE, id), SIGNATURE_BYTES);
    }

    private static String encode(byte[] bytes) {
      return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static byte @Nullable [] decode(String text) {
      try {
        return Base64.getUrlDecoder().decode(text);
      } catch (IllegalArgumentException _) {
        return null;
      }
    }
  }
}
