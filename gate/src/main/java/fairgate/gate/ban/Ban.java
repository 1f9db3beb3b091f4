package fairgate.gate.ban;

import fairgate.kernel.BanSubject;
import fairgate.kernel.ProductId;
import fairgate.kernel.Word;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An entry of the ban list or the allow-list.
///
/// @param id 0 for an entry of a feed
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

  /// The author of exemptions and shorter bans after appeals. Names of operators cannot be this or
  /// begin with [#OF_APPEALS].
  public static final String APPEAL = "appeal";

  private static final String OF_APPEALS = APPEAL + '.';

  /// The author of an entry that spares one browser or account one challenge in one sale, after an
  /// appeal against a failed challenge was granted. It spares nothing else.
  private static final String ONCE = OF_APPEALS + "once@";

  /// The author of an entry that spares one browser or account the challenge of waiting rooms,
  /// after an appeal against a failed challenge that named no sale was granted. It spares nothing
  /// else.
  public static final String ROOMS = ONCE + "rooms";

  /// The effect of an entry. ALLOW wins over BAN, however specific or new either is.
  public enum Effect implements Word {
    BAN,
    ALLOW
  }

  /// Whether an exemption wins over bans and spares the limits by address. One that spares a single
  /// challenge does neither.
  public boolean spares() {
    return !actor.startsWith(OF_APPEALS);
  }

  /// Whether the entry is about one browser, account or place, and not about an address.
  public boolean isOfOnePerson() {
    return switch (subject.kind()) {
      case DEVICE, ACCOUNT, SESSION -> true;
      case IP, NETWORK, ASN, COUNTRY -> false;
    };
  }

  /// Whether an exemption follows a granted appeal. Then the verdict of risk has no effect on the
  /// person, in any sale.
  public boolean followsAppeal() {
    return actor.equals(APPEAL);
  }

  /// The authors of the entries of earlier appeals that one of this author replaces, as patterns of
  /// LIKE. An entry that spares one challenge does not replace one that spares more.
  static List<String> replacedBy(String author) {
    return author.equals(APPEAL) ? List.of(APPEAL, OF_APPEALS + '%') : List.of(OF_APPEALS + '%');
  }

  /// Whether the entry spares the caller the challenge of waiting rooms: only that of a browser or
  /// an account, because an address can be that of many.
  public boolean sparesRooms() {
    return isOfOnePerson() && (actor.equals(APPEAL) || actor.equals(ROOMS));
  }

  public boolean isLeftByAppeal() {
    return actor.equals(APPEAL) || actor.startsWith(OF_APPEALS);
  }

  /// The author of an entry that spares one challenge in this sale.
  public static String once(ProductId sale) {
    return ONCE + sale.value();
  }

  /// Whether it is in force at a time, ms.
  boolean holds(long now) {
    return now < until;
  }

  /// A query for entries, newest first.
  ///
  /// @param before exclusive upper bound of ids; 0 starts at the newest
  /// @param past whether to include expired and lifted entries
  /// @param limit maximum number of entries
  public record Query(
      Ban.@Nullable Effect effect,
      BanSubject.@Nullable Kind kind,
      @Nullable String value,
      boolean past,
      long before,
      int limit) {}

  /// An entry as stored in PostgreSQL, in force or not.
  ///
  /// @param liftedAt ms; 0 when not lifted
  /// @param liftedBy the operator who lifted it; `time` when it had expired and was replaced
  public record Entry(Ban ban, long liftedAt, @Nullable String liftedBy, long version) {}
}
