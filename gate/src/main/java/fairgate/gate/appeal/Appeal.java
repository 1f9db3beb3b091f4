package fairgate.gate.appeal;

import fairgate.kernel.BanSubject;
import fairgate.kernel.ProductId;
import fairgate.kernel.Word;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// An appeal against one decision.
///
/// @param filedAt ms
/// @param onSale whether the shorter deadline, that of an open sale, applies
/// @param dueAt ms
/// @param ruling null while it is open
public record Appeal(
    long id,
    Matter matter,
    Filer filer,
    long filedAt,
    boolean onSale,
    long dueAt,
    @Nullable Ruling ruling) {
  /// The word for a decision whose record was lost, in place of its code.
  public static final String LOST = "DECISION_LOST";

  /// The decision that is appealed against.
  ///
  /// @param decision its id
  /// @param code the error code of a refusal; another word for a demotion
  /// @param rules the rules that led to it, the strongest first, such as `limit.join`
  /// @param version the version of these rules
  /// @param product null when the request named no sale
  /// @param ban the id of the ban; 0 for none
  /// @param ref the id of the decision where it is stored; empty for none
  /// @param at ms
  public record Matter(
      String decision,
      String code,
      List<String> rules,
      String version,
      @Nullable ProductId product,
      long ban,
      String ref,
      long at) {
    public Matter {
      rules = List.copyOf(rules);
    }
  }

  /// The person that appeals, by keyed hashes.
  ///
  /// @param device null without a cookie of ours
  /// @param account null for guests
  /// @param network keyed hash of the address
  /// @param sameBrowser whether it is the refused browser or account; null when that is unknown,
  ///   because the refused request had no cookie of ours or many people have the same decision
  /// @param sameNetwork whether it is the refused address; null when unknown
  public record Filer(
      @Nullable String device,
      @Nullable String account,
      String network,
      @Nullable Boolean sameBrowser,
      @Nullable Boolean sameNetwork) {
    /// Whether this is the refused person: the same browser or account; for a decision without them
    /// the same address, and anybody for a decision that knows neither.
    boolean isRefused() {
      if (sameBrowser != null) {
        return sameBrowser;
      }
      return sameNetwork == null || sameNetwork;
    }
  }

  /// The encrypted part.
  ///
  /// @param contact empty when the person left none
  /// @param client the client's address, as bans have it
  /// @param device the hash of the browser within the sale, as pauses have it; empty for none
  public record Letter(String text, String contact, String client, String device) {
    static final Letter NONE = new Letter("", "", "", "");
  }

  /// An operator's decision about an appeal.
  ///
  /// @param state never [State#OPEN]
  /// @param grade null when the decision stays as it is, or the appeal was not refused
  /// @param reason for the record
  /// @param answer for the person; may be empty
  /// @param reviewer the operator
  /// @param at ms
  public record Ruling(
      State state, @Nullable Grade grade, String reason, String answer, String reviewer, long at) {}

  /// The consequence that remains when an appeal is refused, from the mildest. There is none for
  /// life.
  public enum Grade {
    /// None: a ban ends, and the person may take part.
    WARN("warn"),
    /// A ban ends with the sale, if it does not end before.
    SALE("this_sale"),
    DAYS_30("30_days"),
    YEAR("a_year");

    private final String word;

    Grade(String word) {
      this.word = word;
    }

    /// The name in the API and the database.
    public String word() {
      return word;
    }

    static Optional<Grade> named(String word) {
      return Arrays.stream(values()).filter(grade -> grade.word.equals(word)).findFirst();
    }
  }

  public enum State implements Word {
    OPEN,
    GRANTED,
    REFUSED,
    /// Not decided, because that of the refused person against the same decision was granted.
    CLOSED
  }

  public State state() {
    return ruling == null ? State.OPEN : ruling.state();
  }

  public boolean isOverdue(long now) {
    return ruling == null && dueAt <= now;
  }

  /// The person as a subject of bans and exemptions: the account, else the browser, else the
  /// client's address.
  ///
  /// @param client the client's address from the letter; empty when it is no longer known
  static @Nullable BanSubject subject(Filer filer, String client) {
    if (filer.account() != null) {
      return BanSubject.account(filer.account());
    }
    if (filer.device() != null) {
      return BanSubject.parse(BanSubject.Kind.DEVICE, filer.device());
    }
    BanSubject.Kind kind = client.contains("/") ? BanSubject.Kind.NETWORK : BanSubject.Kind.IP;
    return BanSubject.parse(kind, client);
  }

  /// What an operator decides.
  ///
  /// @param lift whether the ban is lifted for everybody it applies to
  /// @param length how long the person is exempt from bans, limits by address and risk; null for
  ///   what the refusal needs, as in `AppealEffects.letJoin`
  /// @param grade what remains of the decision after a refusal; null for all of it
  public record Draft(
      boolean granted,
      boolean lift,
      @Nullable Duration length,
      @Nullable Grade grade,
      String reason,
      String answer) {
    /// Grants the appeal: lifts the ban, or lets the person take part where it was refused.
    public static Draft lift(String reason, String answer) {
      return new Draft(true, true, null, null, reason, answer);
    }

    /// Grants the appeal and exempts the person for a time. A ban stays for others.
    public static Draft allow(Duration length, String reason, String answer) {
      return new Draft(true, false, length, null, reason, answer);
    }

    public static Draft refuse(@Nullable Grade grade, String reason, String answer) {
      return new Draft(false, false, null, grade, reason, answer);
    }
  }

  /// A query for appeals: open ones by deadline, the most urgent first; others and all by id, the
  /// newest first.
  ///
  /// @param overdue only those whose deadline has passed
  /// @param rule only decisions to which this rule contributed
  /// @param afterDue the deadline of the last appeal of the previous page, ms; 0 for the first page
  /// @param after its id; 0 for the first page
  /// @param limit maximum number of appeals
  public record Query(
      Appeal.@Nullable State state,
      boolean overdue,
      @Nullable ProductId product,
      @Nullable String code,
      @Nullable String rule,
      long afterDue,
      long after,
      int limit) {
    /// Whether the order is that of the deadlines.
    boolean isQueue() {
      return state == Appeal.State.OPEN;
    }
  }
}
