package fairgate.gate.appeal;

import fairgate.gate.appeal.Appeal.Grade;
import fairgate.gate.appeal.Appeal.Letter;
import fairgate.gate.appeal.Appeal.Matter;
import fairgate.gate.ban.Ban;
import fairgate.gate.ban.BanService;
import fairgate.kernel.AddressBlock;
import fairgate.kernel.BanSubject;
import fairgate.kernel.Caller;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The effects of rulings on appeals: on bans, exemptions and pauses. Places are moved by
/// `StoredDecisions.decided`. Every change is in force on all nodes within a second, and can be
/// repeated. No ruling bans a person or makes a ban longer.
///
/// An exemption is an entry of the allow-list; `fairgate.app.risk.AfterAppeals` reads it at a join.
final class AppealEffects {
  private static final Duration A_DAY = Duration.ofDays(1);
  private static final Duration THIRTY_DAYS = Duration.ofDays(30);
  private static final Duration A_YEAR = Duration.ofDays(365);

  /// Refusals during a pause after a missed turn or an order that was not paid.
  private static final Set<String> PAUSES =
      Set.of(ErrorCode.UNPAID_COOLDOWN.name(), ErrorCode.TURN_MISSED.name());

  /// Refusals after which a grant exempts the person from bans, limits by address and risk, in all
  /// sales. A lost decision is one of them: what it said is unknown.
  private static final Set<String> CHECKS =
      Set.of(
          ErrorCode.RISK_REFUSED.name(),
          ErrorCode.NETWORK_LIMIT_REACHED.name(),
          ErrorCode.DEVICE_KEY_REQUIRED.name(),
          Appeal.LOST);

  /// Refusals of joins without a solution of the challenge.
  private static final Set<String> CHALLENGES =
      Set.of(ErrorCode.INVALID_TURNSTILE_TOKEN.name(), ErrorCode.CHALLENGE_REQUIRED.name());

  private final BanService bans;
  private final AppealClock clock;
  private volatile AppealFeature.Pauses pauses = (_, _, _) -> {};

  AppealEffects(BanService bans, AppealClock clock) {
    this.bans = bans;
    this.clock = clock;
  }

  void onEndPause(AppealFeature.Pauses other) {
    pauses = other;
  }

  /// Whether a decision was made during a pause.
  static boolean isPause(Matter matter) {
    return PAUSES.contains(matter.code());
  }

  /// Applies a ruling. Null when it is in force, else the problem. A refusal first ends the
  /// exemption that an earlier grant of this appeal left when it failed.
  AppealOutcome.@Nullable Decided apply(Appeal appeal, Letter letter, Appeal.Draft draft) {
    if (draft.granted()) {
      return grant(appeal, letter, draft);
    }
    endGrant(appeal, letter);
    Grade grade = draft.grade();
    if (grade == null) {
      return null;
    }
    return grade == Grade.WARN
        ? letTakePart(appeal, letter)
        : shorten(appeal, grade, draft.reason());
  }

  /// Ends the exemption of an earlier grant of this appeal that failed after its effect.
  private void endGrant(Appeal appeal, Letter letter) {
    Optional.ofNullable(Appeal.subject(appeal.filer(), letter.client()))
        .flatMap(person -> bans.get(Ban.Effect.ALLOW, person))
        .filter(entry -> entry.isLeftByAppeal() && entry.reason().equals(mark(appeal)))
        .ifPresent(this::lift);
  }

  private AppealOutcome.@Nullable Decided grant(Appeal appeal, Letter letter, Appeal.Draft draft) {
    Duration length = draft.length();
    AppealOutcome.Decided problem =
        length == null
            ? letJoin(appeal)
            : exempt(appeal, Appeal.subject(appeal.filer(), letter.client()), Ban.APPEAL, length);
    if (problem != null) {
      return problem;
    }
    if (draft.lift()) {
      inForce(appeal.matter()).ifPresent(this::lift);
    }
    endPause(appeal, letter);
    return null;
  }

  /// Lets a browser or an account take part where it was refused: once without the challenge that
  /// it cannot solve (a day without those of waiting rooms, whose decisions name no sale), or
  /// without the checks until the sale ends. An address can be that of many people, so it needs an
  /// exemption with a length.
  private AppealOutcome.@Nullable Decided letJoin(Appeal appeal) {
    ProductId sale = appeal.matter().product();
    String code = appeal.matter().code();
    BanSubject person = Appeal.subject(appeal.filer(), "");
    if (sale == null && code.equals(ErrorCode.INVALID_TURNSTILE_TOKEN.name())) {
      return exempt(appeal, person, Ban.ROOMS, A_DAY);
    }
    if (sale != null && CHALLENGES.contains(code)) {
      return exempt(appeal, person, Ban.once(sale), clock.untilEnd(sale));
    }
    return CHECKS.contains(code) ? exempt(appeal, person, Ban.APPEAL, clock.untilEnd(sale)) : null;
  }

  private void endPause(Appeal appeal, Letter letter) {
    ProductId sale = appeal.matter().product();
    if (sale != null && isPause(appeal.matter())) {
      String device = letter.device();
      pauses.end(sale, device.isEmpty() ? null : device, appeal.filer().account());
    }
  }

  /// Lets a person take part after a warning: ends the ban, for everybody if it is about nobody
  /// else, or lets a person join whom risk has refused.
  private AppealOutcome.@Nullable Decided letTakePart(Appeal appeal, Letter letter) {
    Matter matter = appeal.matter();
    Ban ban = inForce(matter).orElse(null);
    if (ban == null) {
      return matter.code().equals(ErrorCode.RISK_REFUSED.name()) ? letJoin(appeal) : null;
    }
    if (isWide(ban, letter)) {
      BanSubject person = Appeal.subject(appeal.filer(), letter.client());
      return exempt(appeal, person, Ban.APPEAL, clock.untilEnd(matter.product()));
    }
    lift(ban);
    return null;
  }

  /// Whether a ban is about more people than the one that appeals.
  private static boolean isWide(Ban ban, Letter letter) {
    return switch (ban.subject().kind()) {
      case ASN, COUNTRY -> true;
      case NETWORK -> !ban.subject().value().equals(letter.client());
      case IP, DEVICE, ACCOUNT, SESSION -> false;
    };
  }

  /// Replaces the ban by one of the length of the grade, if that is shorter.
  private AppealOutcome.@Nullable Decided shorten(Appeal appeal, Grade grade, String reason) {
    if (appeal.matter().ban() == 0) {
      return new AppealOutcome.Decided.NoBan();
    }
    Ban ban = inForce(appeal.matter()).orElse(null);
    Duration length = length(grade, appeal.matter());
    if (ban != null && ban.until() > clock.now() + length.toMillis()) {
      var _ = bans.replaceAfterAppeal(ban, mark(appeal) + ": " + reason, length);
    }
    return null;
  }

  private Duration length(Grade grade, Matter matter) {
    return switch (grade) {
      case WARN -> Duration.ZERO;
      case SALE -> clock.untilEnd(matter.product());
      case DAYS_30 -> THIRTY_DAYS;
      case YEAR -> A_YEAR;
    };
  }

  private AppealOutcome.@Nullable Decided exempt(
      Appeal appeal, @Nullable BanSubject subject, String author, Duration length) {
    if (subject == null) {
      return new AppealOutcome.Decided.NoSubject();
    }
    long until = clock.now() + length.toMillis();
    return switch (bans.exemptAfterAppeal(subject, mark(appeal), author, length)) {
      case BanService.Outcome.Added _ -> null;
      case BanService.Outcome.Extended _ -> null;
      case BanService.Outcome.Kept(Ban kept) -> {
        // An entry of an operator spares bans and limits, and neither risk nor a challenge.
        boolean isEnough =
            kept.isLeftByAppeal() || (appeal.matter().ban() != 0 && kept.until() >= until);
        yield isEnough ? null : new AppealOutcome.Decided.EntryStays(kept.id());
      }
      case BanService.Outcome.Full(int limit) -> new AppealOutcome.Decided.ListFull(limit);
    };
  }

  /// The reason of exemptions after an appeal, and the beginning of that of shorter bans.
  private static String mark(Appeal appeal) {
    return "appeal " + appeal.id();
  }

  private void lift(Ban entry) {
    // It may have ended by itself.
    Optional<Ban> _ = bans.lift(entry.id(), Ban.APPEAL);
  }

  /// Whether a ban is in force for the person or the address of a letter, whatever it is about.
  boolean isBanned(Appeal appeal, Letter letter) {
    BanSubject subject = Appeal.subject(appeal.filer(), letter.client());
    if (subject == null || bans.get(Ban.Effect.ALLOW, subject).filter(Ban::spares).isPresent()) {
      return false;
    }
    AddressBlock network = AddressBlock.parse(letter.client());
    return bans.get(Ban.Effect.BAN, subject).isPresent()
        || (network != null && bans.find(network.first(), () -> Caller.NONE).isPresent());
  }

  /// The ban that is appealed against while it is in force, else the shorter one that replaced it
  /// after another appeal.
  private Optional<Ban> inForce(Matter matter) {
    Ban.Entry entry = matter.ban() == 0 ? null : bans.entry(matter.ban()).orElse(null);
    if (entry == null) {
      return Optional.empty();
    }
    Ban ban = entry.ban();
    return entry.liftedAt() == 0 && ban.until() > clock.now()
        ? Optional.of(ban)
        : stored(ban.subject()).filter(Ban::isLeftByAppeal);
  }

  /// The ban of exactly this subject, if any, from PostgreSQL: an earlier decision that failed may
  /// have changed it a moment ago.
  private Optional<Ban> stored(BanSubject subject) {
    Ban.Query query =
        new Ban.Query(Ban.Effect.BAN, subject.kind(), subject.value(), /* past= */ false, 0, 1);
    return bans.list(query).stream().findFirst().map(Ban.Entry::ban);
  }
}
