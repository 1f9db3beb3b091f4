package fairgate.gate.appeal;

import fairgate.gate.appeal.Appeal.Grade;
import fairgate.gate.appeal.Appeal.Letter;
import fairgate.gate.appeal.Appeal.Matter;
import fairgate.gate.ban.Ban;
import fairgate.gate.ban.BanEntry;
import fairgate.gate.ban.BanOutcome;
import fairgate.gate.ban.BanQuery;
import fairgate.gate.ban.BanService;
import fairgate.gate.risk.RiskAction;
import fairgate.kernel.AddressBlock;
import fairgate.kernel.BanSubject;
import fairgate.kernel.Caller;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What decisions about appeals change: bans, exemptions and pauses. Every change is in force on
/// all nodes within a second, and can be repeated.
final class Consequences {
  private static final String ACTOR = Ban.APPEAL;
  private static final Duration A_DAY = Duration.ofDays(1);
  private static final Duration THIRTY_DAYS = Duration.ofDays(30);
  private static final Duration A_YEAR = Duration.ofDays(365);
  private static final int LONGEST_ACTOR = 200;

  /// Refusals during a pause after a missed turn or an order that was not paid.
  private static final Set<String> PAUSES =
      Set.of(ErrorCode.UNPAID_COOLDOWN.name(), ErrorCode.TURN_MISSED.name());

  /// Refusals that an exemption from the checks of joins and claims ends.
  private static final Set<String> CHECKS =
      Set.of(
          ErrorCode.RISK_REFUSED.name(),
          ErrorCode.NETWORK_LIMIT_REACHED.name(),
          ErrorCode.DEVICE_KEY_REQUIRED.name());

  /// Refusals of joins without a solution of the challenge.
  private static final Set<String> CHALLENGES =
      Set.of(ErrorCode.INVALID_TURNSTILE_TOKEN.name(), ErrorCode.CHALLENGE_REQUIRED.name());

  /// Decisions of risk about which an exemption by an operator changes nothing.
  private static final Set<String> OF_RISK =
      Set.of(ErrorCode.RISK_REFUSED.name(), RiskAction.SEAT_BEHIND.name(), RiskAction.HOLD.name());

  /// The authors of exemptions after refused appeals.
  private static final Set<String> SOFTENED = Set.of(Ban.SLOWER, Ban.BEHIND);

  private final BanService bans;
  private final AppealClock clock;
  private volatile AppealFeature.Pauses pauses = (_, _, _) -> {};

  Consequences(BanService bans, AppealClock clock) {
    this.bans = bans;
    this.clock = clock;
  }

  void onPardon(AppealFeature.Pauses other) {
    pauses = other;
  }

  /// Whether a decision was made during a pause.
  static boolean isPause(Matter matter) {
    return PAUSES.contains(matter.code());
  }

  /// Whether the rule is the author of a ban that is or was in force.
  boolean hasBans(RuleVersion rule) {
    return rule.author().filter(bans::isAuthor).isPresent();
  }

  /// Ends the bans of a version of a rule, and those that refused appeals against it left. Returns
  /// their number. Bans of operators are ended one by one.
  int lift(RuleVersion rule, String actor) {
    return bans.liftBansOf(author(rule), actor)
        + rule.author().map(author -> bans.liftBansOf(author, actor)).orElse(0);
  }

  /// Ends what a refused appeal left. The refused person takes part as after a granted one. Returns
  /// whether an exclusion ended.
  boolean endRefused(Appeal appeal, Letter letter) {
    BanSubject subject = Appeal.subject(appeal.filer(), letter.client());
    if (subject == null) {
      return false;
    }
    Ban softened =
        bans.get(Ban.Effect.ALLOW, subject)
            .filter(it -> SOFTENED.contains(it.actor()) && it.reason().equals(mark(appeal)))
            .orElse(null);
    Ban exclusion =
        bans.get(Ban.Effect.BAN, subject)
            .filter(it -> it.reason().startsWith(mark(appeal) + ':'))
            .orElse(null);
    if (softened == null && exclusion == null) {
      return false;
    }
    // The exemption comes first: a repeat after a crash finds what is left to do.
    boolean isReplaced = letJoinAgain(appeal, Objects.requireNonNullElse(exclusion, softened));
    if (softened != null && !isReplaced) {
      lift(softened.id());
    }
    return exclusion != null && bans.lift(exclusion.id(), ACTOR).isPresent();
  }

  /// Exempts the refused person from the checks. It replaces an entry that softens.
  private boolean letJoinAgain(Appeal appeal, Ban left) {
    return appeal.filer().isRefused()
        && left.isOfOnePerson()
        && CHECKS.contains(appeal.matter().code())
        && allow(appeal, left.subject(), ACTOR, clock.untilEnd(appeal.matter().product())) == null;
  }

  /// The author of bans after refused appeals against decisions of the strongest rule.
  private static String author(Matter matter) {
    return author(new RuleVersion(matter.rules().getFirst(), matter.version()));
  }

  /// The author of bans after refused appeals against decisions of a rule.
  private static String author(RuleVersion rule) {
    String author = ACTOR + '.' + rule.rule() + '@' + rule.version();
    return author.substring(0, Math.min(LONGEST_ACTOR, author.length()));
  }

  /// Applies a decision. Null when it is in force, else the problem; then at most the effect of an
  /// earlier decision on this appeal, which failed, has ended.
  ///
  /// @param allowId the exemption of a person who was seated behind; 0 for none
  AppealOutcome.@Nullable Decided apply(
      Appeal appeal, Letter letter, Appeal.Draft draft, long allowId) {
    if (draft.granted()) {
      endExclusion(appeal, letter);
      return grant(appeal, letter, draft, allowId);
    }
    endGrant(appeal, letter);
    Grade grade = Objects.requireNonNull(draft.grade(), "a refusal has a grade");
    if (grade.excludes()) {
      return exclude(appeal, letter, grade, reason(appeal, draft), allowId);
    }
    endExclusion(appeal, letter);
    return soften(appeal, letter, grade, allowId);
  }

  /// Ends the exclusion of an earlier decision on this appeal that failed after its effect.
  private void endExclusion(Appeal appeal, Letter letter) {
    long banId = appeal.matter().ban();
    Optional<BanSubject> banned =
        banId == 0 ? Optional.empty() : bans.entry(banId).map(entry -> entry.ban().subject());
    BanSubject person = Appeal.subject(appeal.filer(), letter.client());
    Stream.concat(banned.stream(), Stream.ofNullable(person))
        .distinct()
        .flatMap(subject -> stored(subject).stream())
        .filter(ban -> ban.reason().startsWith(mark(appeal) + ':'))
        .forEach(ban -> lift(ban.id()));
  }

  /// The ban of exactly this subject, if any, from PostgreSQL: an earlier decision that failed may
  /// have changed it a moment ago.
  private Optional<Ban> stored(BanSubject subject) {
    BanQuery query =
        new BanQuery(Ban.Effect.BAN, subject.kind(), subject.value(), /* past= */ false, 0, 1);
    return bans.list(query).stream().findFirst().map(BanEntry::ban);
  }

  /// Ends the exemption of an earlier grant of this appeal that failed after its effect.
  private void endGrant(Appeal appeal, Letter letter) {
    Optional.ofNullable(Appeal.subject(appeal.filer(), letter.client()))
        .flatMap(person -> bans.get(Ban.Effect.ALLOW, person))
        .filter(entry -> entry.isLeftByAppeal() && entry.reason().equals(mark(appeal)))
        .ifPresent(entry -> lift(entry.id()));
  }

  private AppealOutcome.@Nullable Decided grant(
      Appeal appeal, Letter letter, Appeal.Draft draft, long allowId) {
    Duration length = draft.length();
    AppealOutcome.Decided problem =
        length == null ? letJoin(appeal) : allow(appeal, letter, ACTOR, length);
    if (problem != null) {
      return problem;
    }
    endLate(allowId);
    if (draft.lift()) {
      inForce(appeal.matter()).ifPresent(ban -> lift(ban.id()));
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
    if (sale == null && code.equals(ErrorCode.INVALID_TURNSTILE_TOKEN.name())) {
      return exempt(appeal, Ban.ROOMS, A_DAY);
    }
    if (sale != null && CHALLENGES.contains(code)) {
      return exempt(appeal, Ban.once(sale), clock.untilEnd(sale));
    }
    return CHECKS.contains(code) ? exempt(appeal, ACTOR, clock.untilEnd(sale)) : null;
  }

  private AppealOutcome.@Nullable Decided exempt(Appeal appeal, String author, Duration length) {
    BanSubject subject = Appeal.subject(appeal.filer(), "");
    if (subject == null) {
      return new AppealOutcome.Decided.NoSubject();
    }
    return allow(appeal, subject, author, length);
  }

  private void endPause(Appeal appeal, Letter letter) {
    ProductId sale = appeal.matter().product();
    if (sale != null && isPause(appeal.matter())) {
      String device = letter.device();
      pauses.end(sale, device.isEmpty() ? null : device, appeal.filer().account());
    }
  }

  /// Excludes the person, or shortens the ban to the length of the grade. An appeal never makes a
  /// ban longer.
  private AppealOutcome.@Nullable Decided exclude(
      Appeal appeal, Letter letter, Grade grade, String reason, long allowId) {
    Ban ban = inForce(appeal.matter()).orElse(null);
    BanSubject subject =
        ban == null ? Appeal.subject(appeal.filer(), letter.client()) : ban.subject();
    if (subject == null) {
      return new AppealOutcome.Decided.NoSubject();
    }
    Ban spared =
        bans.exemptionByOperator(subject, AddressBlock.parse(letter.client())).orElse(null);
    if (spared != null) {
      return new AppealOutcome.Decided.EntryStays(spared.id());
    }
    AppealOutcome.Decided problem =
        ban == null
            ? excludePerson(appeal, letter, subject, grade, reason)
            : shorten(appeal, ban, grade, reason);
    if (problem == null) {
      endLate(allowId);
      bans.endExemption(subject, ACTOR);
    }
    return problem;
  }

  private AppealOutcome.@Nullable Decided excludePerson(
      Appeal appeal, Letter letter, BanSubject subject, Grade grade, String reason) {
    endExclusion(appeal, letter);
    Duration length = length(grade, appeal.matter());
    long until = clock.now() + length.toMillis();
    return problem(
        bans.addAfterAppeal(Ban.Effect.BAN, subject, reason, author(appeal.matter()), length),
        kept -> kept.until() >= until);
  }

  /// Replaces a ban by a shorter one. The one that an earlier decision on this appeal left, which
  /// failed, is replaced in any case: by one that ends no later than the ban appealed against.
  private AppealOutcome.@Nullable Decided shorten(
      Appeal appeal, Ban ban, Grade grade, String reason) {
    Matter matter = appeal.matter();
    boolean isLeft = ban.reason().startsWith(mark(appeal) + ':');
    long latest = isLeft ? bans.entry(matter.ban()).orElseThrow().ban().until() : ban.until();
    long until = Math.min(clock.now() + length(grade, matter).toMillis(), latest);
    if (!isLeft && until == ban.until()) {
      return null;
    }
    Duration length = Duration.ofMillis(until - clock.now());
    return problem(
        bans.replaceAfterAppeal(ban, reason, author(matter), length),
        kept -> kept.until() >= until);
  }

  /// Ends a ban, and seats the person behind or demands harder challenges until the sale ends.
  private AppealOutcome.@Nullable Decided soften(
      Appeal appeal, Letter letter, Grade grade, long allowId) {
    Ban ban = inForce(appeal.matter()).orElse(null);
    if (grade == Grade.WARN) {
      boolean isRisk = appeal.matter().code().equals(ErrorCode.RISK_REFUSED.name());
      AppealOutcome.Decided problem =
          ban == null ? (isRisk ? letJoin(appeal) : null) : end(appeal, letter, ban);
      if (problem == null) {
        endLate(allowId);
      }
      return problem;
    }
    String author = grade == Grade.BEHIND ? Ban.BEHIND : Ban.SLOWER;
    Duration length = clock.untilEnd(appeal.matter().product());
    AppealOutcome.Decided problem = allow(appeal, letter, author, length);
    if (problem == null && ban != null && !isWide(ban, letter)) {
      lift(ban.id());
    }
    return problem;
  }

  /// Ends a ban for this person: for everybody if it is about nobody else.
  private AppealOutcome.@Nullable Decided end(Appeal appeal, Letter letter, Ban ban) {
    if (isWide(ban, letter)) {
      return allow(appeal, letter, ACTOR, clock.untilEnd(appeal.matter().product()));
    }
    lift(ban.id());
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

  /// Lets a person whose appeal is overdue join at the end of the line, until the sale ends.
  /// Returns the id of the exemption; 0 when there is none because the list is full, or because
  /// neither the browser nor the account nor the address is that of the decision.
  long seatBehind(Appeal appeal, Letter letter) {
    if (appeal.filer().isStranger()) {
      return 0;
    }
    BanSubject subject = Appeal.subject(appeal.filer(), letter.client());
    if (subject == null) {
      return 0;
    }
    BanOutcome outcome =
        bans.addAfterAppeal(
            Ban.Effect.ALLOW,
            subject,
            mark(appeal) + " was not decided in time",
            Ban.LATE,
            clock.untilEnd(appeal.matter().product()));
    return switch (outcome) {
      case BanOutcome.Added(Ban ban) -> ban.id();
      case BanOutcome.Extended(Ban ban) -> ban.id();
      case BanOutcome.Kept _ -> 0;
      case BanOutcome.Full _ -> 0;
    };
  }

  private AppealOutcome.@Nullable Decided allow(
      Appeal appeal, Letter letter, String author, Duration length) {
    BanSubject subject = Appeal.subject(appeal.filer(), letter.client());
    return subject == null
        ? new AppealOutcome.Decided.NoSubject()
        : allow(appeal, subject, author, length);
  }

  private AppealOutcome.@Nullable Decided allow(
      Appeal appeal, BanSubject subject, String author, Duration length) {
    Matter matter = appeal.matter();
    boolean isSparedByOperators =
        SOFTENED.contains(author) ? !OF_RISK.contains(matter.code()) : matter.ban() != 0;
    long until = clock.now() + length.toMillis();
    return problem(
        bans.addAfterAppeal(Ban.Effect.ALLOW, subject, mark(appeal), author, length),
        kept ->
            kept.isLeftByAppeal()
                ? kept.actor().equals(Ban.APPEAL)
                : isSparedByOperators && kept.until() >= until);
  }

  /// The reason of exemptions after an appeal, and the beginning of that of exclusions.
  private static String mark(Appeal appeal) {
    return "appeal " + appeal.id();
  }

  /// @param isEnough whether an entry that stays gives the person what was decided
  private static AppealOutcome.@Nullable Decided problem(
      BanOutcome outcome, Predicate<Ban> isEnough) {
    return switch (outcome) {
      case BanOutcome.Added _ -> null;
      case BanOutcome.Extended _ -> null;
      case BanOutcome.Kept(Ban kept) ->
          isEnough.test(kept) ? null : new AppealOutcome.Decided.EntryStays(kept.id());
      case BanOutcome.Full(int limit) -> new AppealOutcome.Decided.ListFull(limit);
    };
  }

  /// Ends the exemption of an overdue appeal, unless another entry has taken its place.
  ///
  /// @param id 0 for none
  private void endLate(long id) {
    if (id != 0) {
      Optional<Ban> _ = bans.lift(id, Ban.LATE, ACTOR);
    }
  }

  private void lift(long id) {
    // It may have ended by itself.
    Optional<Ban> _ = bans.lift(id, ACTOR);
  }

  /// Whether the ban that is appealed against is in force.
  boolean isBanned(Matter matter) {
    return inForce(matter).isPresent();
  }

  /// Whether a ban is in force for the person or the address of a letter, whatever it is about.
  boolean isBanned(Appeal appeal, Letter letter) {
    BanSubject subject = Appeal.subject(appeal.filer(), letter.client());
    if (subject == null
        || bans.get(Ban.Effect.ALLOW, subject).filter(Ban::sparesBans).isPresent()) {
      return false;
    }
    AddressBlock network = AddressBlock.parse(letter.client());
    return bans.get(Ban.Effect.BAN, subject).isPresent()
        || (network != null && bans.find(network.first(), () -> Caller.NONE).isPresent());
  }

  /// The ban that is appealed against while it is in force, else the one that replaced it after
  /// another appeal.
  private Optional<Ban> inForce(Matter matter) {
    if (matter.ban() == 0) {
      return Optional.empty();
    }
    BanEntry entry = bans.entry(matter.ban()).orElse(null);
    if (entry == null) {
      return Optional.empty();
    }
    Ban ban = entry.ban();
    return entry.liftedAt() == 0 && ban.until() > clock.now()
        ? Optional.of(ban)
        : stored(ban.subject()).filter(it -> it.actor().equals(author(matter)));
  }

  private Duration length(Grade grade, Matter matter) {
    return switch (grade) {
      case WARN, SLOWER, BEHIND -> Duration.ZERO;
      case SALE -> clock.untilEnd(matter.product());
      case DAYS_30 -> THIRTY_DAYS;
      case YEAR -> A_YEAR;
    };
  }

  private static String reason(Appeal appeal, Appeal.Draft draft) {
    return mark(appeal) + ": " + draft.reason();
  }
}
