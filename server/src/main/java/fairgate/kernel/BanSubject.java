package fairgate.kernel;

import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Who or what is banned, or always let in.
///
/// @param value in the one way its kind is written, so that equal subjects are equal texts
public record BanSubject(Kind kind, String value) {
  private static final int LONGEST = 200;
  private static final int DEVICE_LENGTH = 22;

  /// What a subject is known by.
  public enum Kind {
    /// One address.
    IP,
    /// A block of addresses: `10.0.0.0/8`, `2001:db8::/48`.
    NETWORK,
    /// A network operator's number, of the `mmdb` file: `64500`.
    ASN,
    /// A browser, by its name ([#device]).
    DEVICE,
    ACCOUNT,
    SESSION;

    /// As the API and the database write it.
    public String word() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }

    public static Optional<Kind> named(String word) {
      return Arrays.stream(values()).filter(kind -> kind.word().equals(word)).findFirst();
    }
  }

  /// The subject, its value written the one way; null when the kind has no such value.
  public static @Nullable BanSubject parse(Kind kind, String text) {
    String value =
        switch (kind) {
          case IP -> {
            ClientAddress address = ClientAddress.parse(text);
            yield address == null ? null : address.text();
          }
          case NETWORK -> {
            AddressBlock block = AddressBlock.parse(text);
            yield block == null ? null : block.text();
          }
          case ASN -> asn(text);
          case DEVICE -> text.matches("[A-Za-z0-9_-]{" + DEVICE_LENGTH + "}") ? text : null;
          case SESSION -> SessionId.isValid(text) ? text : null;
          case ACCOUNT -> isPlain(text) ? text : null;
        };
    return value == null ? null : new BanSubject(kind, value);
  }

  /// What one client is counted by ([ClientAddress#key]): the address of IPv4, the /56 of IPv6.
  public static BanSubject client(ClientAddress address) {
    return new BanSubject(address.isV4() ? Kind.IP : Kind.NETWORK, address.key());
  }

  public static BanSubject asn(long number) {
    return new BanSubject(Kind.ASN, Long.toString(number));
  }

  /// A browser, under the name operators see it by.
  public static BanSubject device(DeviceId device, KeyRing keys) {
    return new BanSubject(Kind.DEVICE, deviceName(device, keys));
  }

  public static BanSubject account(String account) {
    return new BanSubject(Kind.ACCOUNT, account);
  }

  public static BanSubject session(SessionId session) {
    return new BanSubject(Kind.SESSION, session.value());
  }

  /// The name a browser has in the records and in bans, over all sales: a keyed hash, 22
  /// characters.
  public static String deviceName(DeviceId device, KeyRing keys) {
    return keys.fingerprint("device-name", device.value());
  }

  /// As operators write it, `AS64500` or `64500`.
  private static @Nullable String asn(String text) {
    String digits = text.regionMatches(true, 0, "AS", 0, 2) ? text.substring(2) : text;
    if (!digits.matches("[1-9][0-9]{0,9}") || Long.parseLong(digits) > 0xffffffffL) {
      return null;
    }
    return digits;
  }

  private static boolean isPlain(String text) {
    return !text.isBlank()
        && text.length() <= LONGEST
        && text.chars().noneMatch(Character::isISOControl);
  }
}
