package fairgate.gate.ban;

import fairgate.kernel.BanSubject;
import fairgate.kernel.ProductId;
import java.util.List;

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

  /// The author of an entry that spares one browser or account one challenge in one sale, after an
  /// appeal against a failed challenge was granted. It spares nothing else.
  private static final String ONCE = "appeal.once@";

  /// The author of an entry that spares one browser or account the challenge of waiting rooms,
  /// after an appeal against a failed challenge that named no sale was granted. It spares nothing
  /// else.
  public static final String ROOMS = ONCE + "rooms";

  /// The effect of an entry. ALLOW wins over BAN, however specific or new either is.
  public enum Effect {
    BAN,
    ALLOW;

    /// The name in the API and the database.
    public String word() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /// Whether an exemption wins over bans. One that spares a single challenge does not.
  public boolean sparesBans() {
    return !actor.startsWith(ONCE);
  }

  /// Whether an exemption also spares the limits by address. One that nobody decided does not, for
  /// a whole address: it would be worth waiting for.
  boolean sparesLimits() {
    return !actor.equals(BEHIND)
        && !actor.equals(SLOWER)
        && !actor.startsWith(ONCE)
        && !isLateForMany();
  }

  /// Names of operators cannot be such authors.
  private boolean isAfterAppeal() {
    return actor.equals(APPEAL) || actor.startsWith(APPEAL + '.');
  }

  private boolean isLateForMany() {
    return actor.equals(LATE) && !isOfOnePerson();
  }

  /// Whether the entry is about one browser, account or place, and not about an address.
  public boolean isOfOnePerson() {
    return switch (subject.kind()) {
      case DEVICE, ACCOUNT, SESSION -> true;
      case IP, NETWORK, ASN, COUNTRY -> false;
    };
  }

  /// Whether the entry lets a person go on after an appeal: it was granted or is late, or its
  /// consequence is a later seat or harder challenges. An entry that spares one challenge does not,
  /// nor does one that nobody decided and that is about a whole address.
  public boolean followsAppeal() {
    return isAfterAppeal() && !actor.startsWith(ONCE) && !isLateForMany();
  }

  /// The authors of the entries of earlier appeals that one of this author replaces, as patterns of
  /// LIKE. An entry that spares one challenge replaces another such entry; a granted exemption is
  /// replaced by a newer one only.
  static List<String> replacedBy(String author) {
    if (author.startsWith(ONCE)) {
      return List.of(ONCE + '%', SLOWER, LATE);
    }
    return switch (author) {
      case LATE, BEHIND, SLOWER -> List.of(ONCE + '%', SLOWER, BEHIND, LATE);
      default -> List.of(APPEAL, APPEAL + ".%");
    };
  }

  /// Whether the entry spares the caller the challenge of waiting rooms: only that of a browser or
  /// an account, because an address can be that of many.
  public boolean sparesRooms() {
    return isOfOnePerson() && (actor.equals(APPEAL) || actor.equals(ROOMS));
  }

  /// Whether it is an exemption after an appeal, and not one of an operator.
  public boolean isLeftByAppeal() {
    return effect == Effect.ALLOW && isAfterAppeal();
  }

  /// The author of an entry that spares one challenge in this sale.
  public static String once(ProductId sale) {
    return ONCE + sale.value();
  }

  /// Whether it is in force at a time, ms.
  boolean holds(long now) {
    return now < until;
  }
}
