package fairgate.gate.limit;

import fairgate.kernel.ClientAddress;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// The properties of a call by which limits count. A limit does not apply when its dimension is
/// null here.
///
/// @param ip the address a client is counted by: IPv4 as digits, or 14 hexadecimal digits of a /56
/// @param network the network around it: `a.b.c` of a /24, or 12 hexadecimal digits of a /48
/// @param account the account of a signed-in caller, which takes the place of its address in some
///   limits
/// @param once what must not have been before, and is spent with the limits, all or nothing
public record LimitFacts(
    @Nullable String ip,
    @Nullable String network,
    @Nullable String asn,
    @Nullable String account,
    @Nullable String user,
    @Nullable String device,
    @Nullable String session,
    @Nullable Nonce once) {
  /// The cluster tag that all keys of limits and nonces share.
  public static final String TAG = LimitKeys.TAG;

  public static final LimitFacts NONE =
      new LimitFacts(null, null, null, null, null, null, null, null);

  /// A value that may be used once in its lifetime, such as the nonce of a signed request.
  ///
  /// @param key the whole Redis key, without the tag of a cluster; the giver bounds its length
  /// @param lifeMillis how long it is remembered, at least 1
  public record Nonce(String key, long lifeMillis) {
    public Nonce {
      if (lifeMillis < 1) {
        throw new IllegalArgumentException("a life is at least one millisecond");
      }
    }
  }

  /// A call with a known address and nothing else.
  public static LimitFacts of(ClientAddress address) {
    return new LimitFacts(
        AddressKey.of(address), AddressKey.network(address), null, null, null, null, null, null);
  }

  /// The same for a call that is counted neither by its network nor by its network operator.
  LimitFacts withoutNetworks() {
    return new LimitFacts(ip, null, null, account, user, device, session, once);
  }

  public LimitFacts withAsn(@Nullable String value) {
    return new LimitFacts(ip, network, value, account, user, device, session, once);
  }

  public LimitFacts withAccount(@Nullable String value) {
    return new LimitFacts(ip, network, asn, value, user, device, session, once);
  }

  public LimitFacts withUser(@Nullable String value) {
    return new LimitFacts(ip, network, asn, account, value, device, session, once);
  }

  public LimitFacts withDevice(@Nullable String value) {
    return new LimitFacts(ip, network, asn, account, user, value, session, once);
  }

  public LimitFacts withSession(@Nullable String value) {
    return new LimitFacts(ip, network, asn, account, user, device, value, once);
  }

  public LimitFacts withOnce(@Nullable Nonce value) {
    return new LimitFacts(ip, network, asn, account, user, device, session, value);
  }

  /// The key by which the rule counts this call; null when the rule does not apply.
  @Nullable String key(LimitRule rule, String route) {
    return switch (rule.dimension()) {
      case GLOBAL -> LimitKeys.shared(rule);
      case ROUTE -> LimitKeys.plain(rule, route);
      case IP -> ip == null ? null : LimitKeys.plain(rule, ip);
      case CLIENT -> client(rule);
      case NETWORK -> network == null ? null : LimitKeys.plain(rule, network);
      case ASN -> asn == null ? null : LimitKeys.plain(rule, asn);
      case NEW_BROWSER -> isKnown() || ip == null ? null : LimitKeys.plain(rule, ip);
      case USER -> user == null ? null : LimitKeys.hashed(rule, user);
      case DEVICE -> device == null ? null : LimitKeys.hashed(rule, device);
      case SESSION -> session == null ? null : LimitKeys.hashed(rule, session);
    };
  }

  /// Whether the caller sent our cookie, or a request signed with an API key.
  private boolean isKnown() {
    return user != null || device != null || once != null;
  }

  private @Nullable String client(LimitRule rule) {
    if (account != null) {
      return LimitKeys.hashed(rule, account);
    }
    return ip == null ? null : LimitKeys.plain(rule, ip);
  }

  /// The key under which an address is counted: the IPv4 address, or the /56 of an IPv6 address,
  /// because its owner chooses addresses freely within it. Shorter than the address: there may be
  /// millions of keys.
  static final class AddressKey {
    private static final int HOUSE_DIGITS = 14;
    private static final int NETWORK_DIGITS = 12;

    private AddressKey() {}

    /// IPv4 as digits, or the 14 hexadecimal digits of the /56.
    static String of(ClientAddress address) {
      return address.isV4() ? address.text() : digits(address, HOUSE_DIGITS);
    }

    /// The surrounding network: the first three numbers of IPv4 (a /24), or the 12 hexadecimal
    /// digits of the /48.
    static String network(ClientAddress address) {
      if (address.isV4()) {
        String text = address.text();
        return text.substring(0, text.lastIndexOf('.'));
      }
      return digits(address, NETWORK_DIGITS);
    }

    /// The same as a number, for use in memory.
    static long number(ClientAddress address) {
      return address.isV4() ? address.low() & 0xffffffffL : address.high() >>> 8 | Long.MIN_VALUE;
    }

    private static String digits(ClientAddress address, int count) {
      return HexFormat.of().toHexDigits(address.high()).substring(0, count);
    }
  }
}
