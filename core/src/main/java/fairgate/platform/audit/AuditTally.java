package fairgate.platform.audit;

import fairgate.kernel.Word;
import org.jspecify.annotations.Nullable;

/// A count of joins, purchases and refusals of a time.
///
/// @param from start in ms, inclusive
/// @param to end in ms, exclusive
public record AuditTally(long from, long to, By by, Sort sort, int limit) {
  public enum By implements Word {
    /// Browsers, by the name that bans accept.
    DEVICE("device"),
    /// Networks, by a keyed hash.
    NETWORK("net"),
    /// The error codes of refusals.
    REASON("what");

    private final String member;

    By(String member) {
      this.member = member;
    }

    /// The member of an event's JSON.
    String member() {
      return member;
    }
  }

  /// The order of the lines, largest first.
  public enum Sort implements Word {
    REFUSALS,
    PURCHASES,
    JOINS
  }

  /// The events of one name.
  ///
  /// @param refusals including those that were not recorded because of sampling
  /// @param lastAt the newest event, in ms
  /// @param decision the id of the newest decision; null when none has one
  /// @param orders what its purchases came to
  /// @param network the keyed hash of the newest network; null when no event has one
  /// @param networks the number of its networks
  /// @param agent the newest user agent; null when no event has one
  public record Line(
      String name,
      long joins,
      long purchases,
      long refusals,
      long lastAt,
      @Nullable String decision,
      Orders orders,
      @Nullable String network,
      long networks,
      @Nullable String agent) {}

  /// The purchases of one name.
  ///
  /// @param amount in minor units of the sale's currency; amounts of several sales cannot be added
  /// @param product null for purchases in several sales, or none
  public record Orders(long units, long amount, @Nullable String product) {}
}
