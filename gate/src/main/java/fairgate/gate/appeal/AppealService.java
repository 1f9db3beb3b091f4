package fairgate.gate.appeal;

import fairgate.gate.appeal.Appeal.Filer;
import fairgate.gate.appeal.Appeal.Letter;
import fairgate.gate.appeal.Appeal.Matter;
import fairgate.gate.appeal.Appeal.Ruling;
import fairgate.gate.appeal.DecisionLookup.Found.Known;
import fairgate.gate.appeal.PostgresAppeals.Stored;
import fairgate.gate.ban.Ban;
import fairgate.gate.ban.BanService;
import fairgate.gate.risk.Explanation;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The use cases of appeals. All methods block, and throw ServiceUnavailable while PostgreSQL is
/// away; then nothing has changed, or a repeat completes it.
public final class AppealService {
  /// The bounds of a letter, in characters.
  public static final int SHORTEST_TEXT = 10;

  public static final int LONGEST_TEXT = 2_000;
  public static final int LONGEST_CONTACT = 200;

  static final int MAX_OPEN = 50_000;

  /// Appeals of others than the refused person against one decision.
  static final int MAX_OTHERS = 3;

  /// How long after a granted appeal those of others against the same decision are looked for.
  private static final Duration JUST_GRANTED = Duration.ofMinutes(10);

  private final PostgresAppeals appeals;
  private final BanService bans;
  private final StoredDecisions decisions;
  private final AppealEffects effects;
  private final AppealClock clock;
  private final DecisionLookup lookup;
  private final AppealIdentity identity;
  private final Letters letters;
  private final Counter filings;
  private final Counter grants;
  private final Counter refusals;
  private volatile long open;

  AppealService(
      PostgresAppeals appeals,
      BanService bans,
      StoredDecisions decisions,
      AppealClock clock,
      KeyRing keys,
      Ids ids,
      Metrics metrics) {
    this.appeals = appeals;
    this.bans = bans;
    this.decisions = decisions;
    this.effects = new AppealEffects(bans, clock);
    this.clock = clock;
    this.lookup = new DecisionLookup(keys, decisions, bans, clock);
    this.identity = new AppealIdentity(keys);
    this.letters = new Letters(keys, ids);
    this.filings = counter(metrics, "filed");
    this.grants = counter(metrics, "granted");
    this.refusals = counter(metrics, "refused");
  }

  void onEndPause(AppealFeature.Pauses pauses) {
    effects.onEndPause(pauses);
  }

  private static Counter counter(Metrics metrics, String event) {
    return metrics.counter("fairgate_appeals_total", "Appeals filed and decided", "event", event);
  }

  /// The person behind a request.
  ///
  /// @param device null when the browser sent no cookie of ours
  /// @param account null for guests
  public record Person(
      ClientAddress address, @Nullable DeviceId device, @Nullable String account) {}

  /// An appeal for operators.
  ///
  /// @param letter null when it has been erased
  /// @param ban the ban that is appealed against; null for none
  /// @param decision the stored decision as a JSON object; null for none
  public record Evidence(
      Appeal appeal, @Nullable Letter letter, Ban.@Nullable Entry ban, @Nullable String decision) {}

  /// The state of the appeal against a decision, as far as this browser may see it.
  public AppealOutcome look(String decision, Person person) {
    return about(decision, person, known -> look(known, person));
  }

  private AppealOutcome about(
      String decision, Person person, Function<Known, AppealOutcome> action) {
    return switch (lookup.find(decision, person)) {
      case Known known -> action.apply(known);
      case DecisionLookup.Found.Recording() -> new AppealOutcome.Recording();
      case DecisionLookup.Found.Unknown() -> new AppealOutcome.Unknown();
    };
  }

  /// What the person is told about a decision, whether or not there is an appeal; empty for one
  /// that this server does not know, or is being recorded.
  public Optional<AppealOutcome.None> decision(String decision, Person person) {
    return lookup.find(decision, person) instanceof Known known
        ? Optional.of(none(known, person))
        : outline(decision);
  }

  /// The same as far as the id has it. Never blocks.
  public Optional<AppealOutcome.None> outline(String decision) {
    return lookup
        .code(decision)
        .map(code -> new AppealOutcome.None(code, Explanation.NONE, /* other= */ false));
  }

  private AppealOutcome look(Known known, Person person) {
    return visible(known, person).stream()
        .findFirst()
        .map(found -> look(known, found, person))
        .orElseGet(() -> none(known, person));
  }

  /// Others are not told the reason: it can be about earlier orders of the person. Somebody at the
  /// same address without a cookie is probably the refused person.
  private AppealOutcome.None none(Known known, Person person) {
    Filer filer = identity.filer(known, person);
    boolean isTold =
        filer.isRefused() || (filer.device() == null && Boolean.TRUE.equals(filer.sameNetwork()));
    return new AppealOutcome.None(
        known.matter().code(), isTold ? told(known) : Explanation.NONE, !isTold);
  }

  private static Explanation told(Known known) {
    StoredDecisions.Stored stored = known.stored();
    return stored == null ? Explanation.NONE : stored.told();
  }

  private static Explanation told(Known known, Appeal appeal) {
    return appeal.filer().isRefused() ? told(known) : Explanation.NONE;
  }

  /// The appeals in this matter, that of the person first.
  private List<Stored> all(Known known, Person person) {
    return find(known, person, known.matter().decision());
  }

  private List<Stored> find(Known known, Person person, String decision) {
    AppealIdentity.Keys names = identity.names(known, person);
    return appeals.find(names.matter(), names.open(), decision);
  }

  /// The appeals of others do not stand in the way of the refused person's. Of a shared decision,
  /// these are all but the person's own.
  private List<Stored> visible(Known known, Person person) {
    if (!identity.filer(known, person).isRefused()) {
      return all(known, person);
    }
    boolean isShared = AppealIdentity.isShared(known.matter());
    return find(known, person, isShared ? "" : known.matter().decision()).stream()
        .filter(found -> found.appeal().filer().isRefused())
        .toList();
  }

  private AppealOutcome look(Known known, Stored found, Person person) {
    Filer filer = found.appeal().filer();
    boolean isOwn =
        (filer.device() != null && filer.device().equals(identity.device(person)))
            || (filer.account() != null && filer.account().equals(person.account()));
    return isOwn
        ? own(known, found)
        : new AppealOutcome.Others(found.appeal().matter().code(), false);
  }

  private AppealOutcome.Own own(Known known, Stored found) {
    Appeal appeal = found.appeal();
    boolean banned = letsTakePart(appeal) && effects.isBanned(appeal, letter(found));
    return new AppealOutcome.Own(appeal, told(known, appeal), banned);
  }

  private static boolean letsTakePart(Appeal appeal) {
    Ruling ruling = appeal.ruling();
    return ruling != null
        && (ruling.state() == Appeal.State.GRANTED || ruling.grade() == Appeal.Grade.WARN);
  }

  private Letter letter(Stored stored) {
    return Objects.requireNonNullElse(letters.open(stored), Letter.NONE);
  }

  /// The same for the bearer of a receipt.
  public AppealOutcome look(String decision, Person person, String receipt) {
    return about(decision, person, known -> look(known, person, receipt));
  }

  private AppealOutcome look(Known known, Person person, String receipt) {
    for (Stored found : all(known, person)) {
      if (letters.isReceiptOf(found, receipt)) {
        return own(known, found);
      }
    }
    return visible(known, person).isEmpty()
        ? none(known, person)
        : new AppealOutcome.Others(known.matter().code(), true);
  }

  /// Appeals against a decision, once. A repeat shows the appeal; another letter is not added.
  ///
  /// @param text of [#SHORTEST_TEXT] to [#LONGEST_TEXT] characters
  /// @param contact empty for none
  public AppealOutcome file(String decision, Person person, String text, String contact) {
    return about(decision, person, known -> file(known, person, text, contact));
  }

  private AppealOutcome file(Known known, Person person, String text, String contact) {
    Matter matter = known.matter();
    AppealIdentity.Keys names = identity.names(known, person);
    if (open >= MAX_OPEN) {
      return new AppealOutcome.Full();
    }
    Filer filer = identity.filer(known, person);
    boolean onSale = clock.isOnSale(matter.product());
    String receipt = letters.receipt();
    Letter letter =
        new Letter(text, contact, person.address().key(), identity.deviceInSale(matter, person));
    Optional<Stored> stored =
        appeals.file(
            new PostgresAppeals.Draft(
                names.matter(),
                names.open(),
                matter,
                filer,
                letters.seal(names.matter(), letter),
                letters.receiptHash(names.matter(), receipt),
                new PostgresAppeals.Deadline(clock.now(), onSale, clock.due(onSale))));
    if (stored.isEmpty()) {
      return notAdded(known, person, text);
    }
    filings.increment();
    Appeal appeal = stored.get().appeal();
    return new AppealOutcome.Filed(appeal, receipt, told(known, appeal));
  }

  /// The outcome for a letter that was not filed, because there is an appeal: that appeal, if it
  /// has the same letter.
  private AppealOutcome notAdded(Known known, Person person, String text) {
    AppealOutcome shown = look(known, person);
    boolean isRepeat =
        visible(known, person).stream()
            .findFirst()
            .filter(found -> letter(found).text().equals(text))
            .isPresent();
    return isRepeat
        ? shown
        : new AppealOutcome.NotAdded(
            shown instanceof AppealOutcome.Own own ? own : null, known.matter().code());
  }

  public List<Appeal> list(Appeal.Query query) {
    return appeals.list(query, clock.now());
  }

  public boolean isOverdue(Appeal appeal) {
    return appeal.isOverdue(clock.now());
  }

  public Optional<Evidence> evidence(long id) {
    return appeals
        .find(id)
        .map(
            found -> {
              Matter matter = found.appeal().matter();
              return new Evidence(
                  found.appeal(),
                  letters.open(found),
                  matter.ban() == 0 ? null : bans.entry(matter.ban()).orElse(null),
                  matter.ref().isEmpty()
                      ? null
                      : decisions
                          .find(matter.ref())
                          .map(StoredDecisions.Stored::evidence)
                          .orElse(null));
            });
  }

  /// Decides an open appeal. Of two operators the first one decides; the second learns of it.
  ///
  /// @param reviewer the operator
  public AppealOutcome.Decided decide(long id, Appeal.Draft draft, String reviewer) {
    return appeals.locked(
        id,
        (db, found) -> {
          Stored stored = found.orElse(null);
          if (stored == null) {
            return new AppealOutcome.Decided.NotFound();
          }
          Appeal appeal = stored.appeal();
          if (appeal.ruling() != null) {
            return new AppealOutcome.Decided.Before(appeal);
          }
          // The effect comes first: after a failure the appeal is still open, and a repeat has the
          // same effect.
          AppealOutcome.Decided problem = effects.apply(appeal, letter(stored), draft);
          if (problem != null) {
            return problem;
          }
          tellEngine(appeal, draft);
          Ruling ruling =
              new Ruling(
                  draft.granted() ? Appeal.State.GRANTED : Appeal.State.REFUSED,
                  draft.grade(),
                  draft.reason(),
                  draft.answer(),
                  reviewer,
                  clock.now());
          Appeal decided = appeals.decide(db, id, ruling);
          (draft.granted() ? grants : refusals).increment();
          if (draft.granted() && appeal.filer().isRefused()) {
            appeals.closeOthers(db, appeal, draft.lift(), ruling.at());
          }
          return new AppealOutcome.Decided.Done(decided);
        });
  }

  /// A refused appeal of somebody else says nothing about the person of the decision.
  private void tellEngine(Appeal appeal, Appeal.Draft draft) {
    String ref = appeal.matter().ref();
    boolean isRefused = appeal.filer().isRefused();
    if (!ref.isEmpty() && (draft.granted() || isRefused)) {
      decisions.decided(ref, draft.granted());
    }
    // The person takes part again, so the place no longer waits for a review.
    if (!ref.isEmpty() && isRefused && draft.grade() == Appeal.Grade.WARN) {
      decisions.seatBehind(ref);
    }
  }

  /// Applies the deadlines of sales that opened or closed. Returns the counts for the metrics.
  PostgresAppeals.Counts enforceDeadlines() {
    appeals.adjust(
        clock.open().stream().map(sale -> sale.product().value()).toList(),
        clock.due(true),
        AppealClock.OTHERWISE.toMillis());
    appeals.closeLate(clock.now() - JUST_GRANTED.toMillis(), clock.now());
    PostgresAppeals.Counts counts = appeals.counts(clock.now());
    open = counts.open();
    return counts;
  }

  void forget(Duration letters, Duration old) {
    appeals.forget(clock.now() - letters.toMillis(), clock.now() - old.toMillis());
  }
}
