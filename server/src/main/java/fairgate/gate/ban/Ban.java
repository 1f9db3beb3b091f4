package fairgate.gate.ban;

import fairgate.kernel.BanSubject;

/// An entry of the ban list or of the allow-list.
///
/// @param id 0 when PostgreSQL has not got it (yet): made a moment ago, or from a feed
/// @param reason for operators
/// @param actor who made it: an operator, a feature, a feed
/// @param since ms
/// @param until ms; [#FOR_EVER] = no end
public record Ban(
    long id,
    Effect effect,
    BanSubject subject,
    String reason,
    String actor,
    long since,
    long until) {
  public static final long FOR_EVER = Long.MAX_VALUE;

  /// What an entry does to its subject. Allowed wins over banned, whatever is more exact or newer.
  public enum Effect {
    BAN,
    ALLOW;

    /// As the API and the database write it.
    public String word() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /// Whether it is in force at this time.
  boolean holds(long now) {
    return now < until;
  }
}
