package fairgate.gate.ban;

import fairgate.kernel.BanSubject;

/// An entry of the ban list or the allow-list.
///
/// @param id 0 when PostgreSQL does not have the entry: it is new, or from a feed
/// @param reason for operators
/// @param actor its author: an operator, a feature or a feed
/// @param since start, ms
/// @param until end, ms; [#FOR_EVER] for no end
public record Ban(
    long id,
    Effect effect,
    BanSubject subject,
    String reason,
    String actor,
    long since,
    long until) {
  public static final long FOR_EVER = Long.MAX_VALUE;

  /// The authors of exemptions after appeals: a granted one; one that was not decided in time,
  /// whose person is seated behind others; refused ones, whose persons are seated behind others or
  /// get harder challenges. The last two spare no limits.
  public static final String APPEAL = "appeal";

  public static final String LATE = "appeal.late";
  public static final String BEHIND = "appeal.behind";
  public static final String SLOWER = "appeal.slower";

  /// The effect of an entry. ALLOW wins over BAN, however specific or new either is.
  public enum Effect {
    BAN,
    ALLOW;

    /// The name in the API and the database.
    public String word() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /// Whether an exemption also spares the limits by address.
  boolean sparesLimits() {
    return !actor.equals(BEHIND) && !actor.equals(SLOWER);
  }

  /// Whether it is in force at a time, ms.
  boolean holds(long now) {
    return now < until;
  }
}
