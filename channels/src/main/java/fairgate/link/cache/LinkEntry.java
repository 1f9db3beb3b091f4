package fairgate.link.cache;

import fairgate.link.code.ForwardQuery;
import fairgate.link.code.TargetUrl;
import java.util.Locale;
import java.util.Optional;

/// The properties of a link that a redirect needs.
///
/// @param host of the target
/// @param redirectStatus 301, 302, 307 or 308
/// @param expiresAt in ms; 0 = never
/// @param maxVisits 0 = unlimited
/// @param forward the parameters of the short address that are added to the target
/// @param version increases with every change, over all links
public record LinkEntry(
    String code,
    String url,
    String host,
    int redirectStatus,
    long expiresAt,
    int maxVisits,
    State state,
    ForwardQuery forward,
    long version) {
  /// The value in Redis for an unknown code.
  static final String NIL = "__nil__";

  private static final int FIELDS = 6;

  /// The choice that is not written, so that builds without it read the value too.
  private static final ForwardQuery USUAL = ForwardQuery.UTM;

  /// Whether it may be followed, apart from time and number.
  public enum State {
    ACTIVE,
    DISABLED,
    BANNED
  }

  /// A link with the usual choice of parameters.
  public static LinkEntry of(
      String code,
      String url,
      int redirectStatus,
      long expiresAt,
      int maxVisits,
      State state,
      long version) {
    return new LinkEntry(
        code,
        url,
        TargetUrl.hostOf(url),
        redirectStatus,
        expiresAt,
        maxVisits,
        state,
        USUAL,
        version);
  }

  /// A copy with another choice of parameters.
  public LinkEntry forwarding(ForwardQuery other) {
    return new LinkEntry(
        code, url, host, redirectStatus, expiresAt, maxVisits, state, other, version);
  }

  /// Whether it leads there at any time and for any number of visitors.
  boolean always() {
    return state == State.ACTIVE && expiresAt == 0 && maxVisits == 0;
  }

  public boolean expired(long nowMs) {
    return expiresAt != 0 && expiresAt <= nowMs;
  }

  /// `version state status expiry limit [forward] url`.
  String encode() {
    return version
        + " "
        + state.name().toLowerCase(Locale.ROOT)
        + " "
        + redirectStatus
        + " "
        + expiresAt
        + " "
        + maxVisits
        + " "
        + (forward == USUAL ? "" : forward.text() + " ")
        + url;
  }

  /// The link of a value that `encode` made. Throws IllegalArgumentException for anything else.
  static LinkEntry decode(String code, String value) {
    String[] parts = value.split(" ", -1);
    int url = parts.length - 1;
    Optional<ForwardQuery> forward =
        switch (parts.length) {
          case FIELDS -> Optional.of(USUAL);
          case FIELDS + 1 -> ForwardQuery.of(parts[url - 1]);
          default -> Optional.empty();
        };
    if (forward.isEmpty() || !parts[url].startsWith("http")) {
      throw new IllegalArgumentException("no cached link");
    }
    return of(
            code,
            parts[url],
            Integer.parseInt(parts[2]),
            Long.parseLong(parts[3]),
            Integer.parseInt(parts[4]),
            State.valueOf(parts[1].toUpperCase(Locale.ROOT)),
            Long.parseLong(parts[0]))
        .forwarding(forward.get());
  }
}
