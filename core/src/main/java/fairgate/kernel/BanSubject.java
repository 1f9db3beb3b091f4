package fairgate.kernel;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The subject of a ban or an exemption.
///
/// @param value in the canonical form of its kind, so that equal subjects have equal texts
public record BanSubject(Kind kind, String value) {
  /// The shortest prefixes of networks that can be banned or exempted. A shorter one would apply to
  /// a large part of all people, and is likely a typing error.
  public static final int SHORTEST_V4_PREFIX = 8;

  public static final int SHORTEST_V6_PREFIX = 16;

  private static final int MAX_LENGTH = 200;
  private static final int DEVICE_LENGTH = 22;
  private static final Set<String> COUNTRIES = Set.of(Locale.getISOCountries());

  public enum Kind implements Word {
    IP,
    /// A block of addresses: `10.0.0.0/8`, `2001:db8::/48`.
    NETWORK,
    /// An autonomous system number from the `mmdb` file: `64500`.
    ASN,
    /// A country from the `mmdb` file, by two letters: `TW`.
    COUNTRY,
    /// A browser, by its keyed name ([#device]).
    DEVICE,
    ACCOUNT,
    SESSION;

    public static Optional<Kind> named(String word) {
      return Arrays.stream(values()).filter(kind -> kind.word().equals(word)).findFirst();
    }
  }

  /// Parses a subject and normalizes its value; null when the value is invalid for the kind.
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
          case COUNTRY -> countryCode(text);
          case DEVICE -> text.matches("[A-Za-z0-9_-]{" + DEVICE_LENGTH + "}") ? text : null;
          case SESSION -> SessionId.isValid(text) ? text : null;
          case ACCOUNT -> isPlain(text) ? text : null;
        };
    return value == null ? null : new BanSubject(kind, value);
  }

  /// Whether this is a network with a shorter prefix than can be banned or exempted.
  public boolean isTooWide() {
    AddressBlock block = kind == Kind.NETWORK ? AddressBlock.parse(value) : null;
    return block != null
        && block.bits()
            < (block.isV4() ? AddressBlock.V4_BITS + SHORTEST_V4_PREFIX : SHORTEST_V6_PREFIX);
  }

  /// The subject of one client ([ClientAddress#key]): the IPv4 address, or the /56 of IPv6.
  public static BanSubject client(ClientAddress address) {
    return new BanSubject(address.isV4() ? Kind.IP : Kind.NETWORK, address.key());
  }

  public static BanSubject asn(long number) {
    return new BanSubject(Kind.ASN, Long.toString(number));
  }

  /// A country.
  ///
  /// @param code two letters in upper case
  public static BanSubject country(String code) {
    return new BanSubject(Kind.COUNTRY, code);
  }

  /// A browser, by the name that operators see.
  public static BanSubject device(DeviceId device, KeyRing keys) {
    return new BanSubject(Kind.DEVICE, deviceName(device, keys));
  }

  public static BanSubject account(String account) {
    return new BanSubject(Kind.ACCOUNT, account);
  }

  public static BanSubject session(SessionId session) {
    return new BanSubject(Kind.SESSION, session.value());
  }

  /// The name of a browser in records and bans, across all sales: a keyed hash of 22 characters.
  public static String deviceName(DeviceId device, KeyRing keys) {
    return keys.fingerprint("device-name", device.value());
  }

  /// Parses `AS64500` or `64500`.
  private static @Nullable String asn(String text) {
    String digits = text.regionMatches(true, 0, "AS", 0, 2) ? text.substring(2) : text;
    if (!digits.matches("[1-9][0-9]{0,9}") || Long.parseLong(digits) > 0xffffffffL) {
      return null;
    }
    return digits;
  }

  private static @Nullable String countryCode(String text) {
    String code = text.toUpperCase(Locale.ROOT);
    return COUNTRIES.contains(code) ? code : null;
  }

  private static boolean isPlain(String text) {
    return !text.isBlank()
        && text.length() <= MAX_LENGTH
        && text.chars().noneMatch(Character::isISOControl);
  }
}
