package fairgate.gate.limit;

/// One limit: a number of calls in a period, for each key of one dimension.
///
/// A `RATE` is GCRA: `burst` calls at once, then one every `seconds / max`. In any time t it admits
/// at most `burst + t * max / seconds` calls. A `WINDOW` admits at most `max` calls in any
/// `seconds`, exactly; it stores the time of each call, so `max` is small. A refused call counts in
/// neither.
///
/// @param name also the policy's name in `RateLimit` and the beginning of its keys, `rl:name`
/// @param burst for a rate; a window has none, and it is `max`
public record LimitRule(
    String name,
    Dimension dimension,
    Semantics semantics,
    int max,
    int seconds,
    int burst,
    OnFailure onFailure) {
  static final int LONGEST_SECONDS = 86_400;
  static final int MOST = 1_000_000_000;
  static final int MOST_IN_WINDOW = 1_000;
  private static final long MICROS = 1_000_000;

  /// The largest period that the script can count in whole numbers without loss.
  private static final long LARGEST = 1L << 52;

  public enum Semantics {
    RATE,
    WINDOW
  }

  public enum OnFailure {
    OPEN,
    CLOSED,
    /// Each node counts calls by itself, each up to the limit.
    LOCAL_SHARE;

    /// The name in settings, metrics and docs.
    public String word() {
      return switch (this) {
        case OPEN -> "open";
        case CLOSED -> "closed";
        case LOCAL_SHARE -> "local-share";
      };
    }
  }

  public LimitRule {
    boolean window = semantics == Semantics.WINDOW;
    if (max < 1 || max > (window ? MOST_IN_WINDOW : MOST)) {
      throw new IllegalArgumentException(
          "a %s takes 1 to %,d calls"
              .formatted(window ? "window" : "rate", window ? MOST_IN_WINDOW : MOST));
    }
    if (seconds < 1 || seconds > LONGEST_SECONDS) {
      throw new IllegalArgumentException("a period is 1 second to 1 day");
    }
    if (window ? burst != max : burst < 1 || burst > MOST) {
      throw new IllegalArgumentException(
          window ? "a window has no burst" : "a burst is 1 to %,d calls".formatted(MOST));
    }
    if (seconds * MICROS / divisor(max, seconds) > LARGEST / burst) {
      throw new IllegalArgumentException("this burst over this period is too long to count");
    }
  }

  /// Microseconds of `q` calls: one call takes p/q µs, a reduced fraction.
  long p() {
    return seconds * MICROS / divisor(max, seconds);
  }

  long q() {
    return max / divisor(max, seconds);
  }

  private static long divisor(long max, int seconds) {
    long a = max;
    long b = seconds * MICROS;
    while (b != 0) {
      long rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }

  public enum Dimension {
    /// All calls of the installation.
    GLOBAL,
    ROUTE,
    /// One client address: IPv4, or the /56 of an IPv6 address.
    IP,
    /// The account of a signed-in caller; the client address, as in [#IP], of a guest.
    CLIENT,
    /// The network of the address: /24 of IPv4, /48 of IPv6.
    NETWORK,
    /// The autonomous system of the address, where it is known.
    ASN,
    /// The client address, as in [#IP], of a caller that neither sent our cookie nor signed its
    /// request.
    NEW_BROWSER,
    /// A person: the account, or the browser when nobody is signed in.
    USER,
    /// A browser that sent our cookie.
    DEVICE,
    /// A place in a queue.
    SESSION;

    /// The name in settings and docs.
    String word() {
      return switch (this) {
        case GLOBAL -> "everything";
        case ROUTE -> "route";
        case IP -> "address";
        case CLIENT -> "account or address";
        case NETWORK -> "network";
        case ASN -> "provider";
        case NEW_BROWSER -> "address, without our cookie";
        case USER -> "person";
        case DEVICE -> "browser";
        case SESSION -> "place";
      };
    }

    /// Whether all callers from one address share the key, as far as they have the same account or
    /// none.
    boolean coversAddress() {
      return switch (this) {
        case GLOBAL, ROUTE, IP, CLIENT, NETWORK, ASN -> true;
        case NEW_BROWSER, USER, DEVICE, SESSION -> false;
      };
    }
  }
}
