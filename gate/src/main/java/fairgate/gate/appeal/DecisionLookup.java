package fairgate.gate.appeal;

import fairgate.gate.appeal.Appeal.Matter;
import fairgate.gate.appeal.AppealService.Person;
import fairgate.gate.appeal.StoredDecisions.Stored;
import fairgate.gate.ban.Ban;
import fairgate.gate.ban.BanService;
import fairgate.kernel.Caller;
import fairgate.kernel.Decision;
import fairgate.kernel.DecisionCodec;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.KeyRing;
import fairgate.kernel.StoredDecisionIds;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Finds out what a decision was about, from its id and from the engine that stored it.
final class DecisionLookup {
  /// How long a decision can be appealed against.
  static final Duration LONGEST_AGE = Duration.ofDays(183);

  /// How long a decision may take to be recorded. Afterwards it counts as lost: its log was full.
  static final Duration RECORDING = Duration.ofMinutes(1);

  /// How long a lost decision can be appealed against. Older ones may have been deleted.
  static final Duration LOST = Duration.ofDays(1);

  private static final Pattern STORED_ID = Pattern.compile("[A-Za-z0-9_-]{22}");

  private final DecisionCodec codec;
  private final StoredDecisionIds storedIds;
  private final StoredDecisions decisions;
  private final BanService bans;
  private final AppealClock clock;

  DecisionLookup(KeyRing keys, StoredDecisions decisions, BanService bans, AppealClock clock) {
    this.codec = new DecisionCodec(keys);
    this.storedIds = new StoredDecisionIds(keys);
    this.decisions = decisions;
    this.bans = bans;
    this.clock = clock;
  }

  sealed interface Found {
    /// The decision is known.
    ///
    /// @param stored where an engine has stored it; null for a decision that describes itself
    record Known(Matter matter, @Nullable Stored stored) implements Found {}

    /// A node has made the decision a moment ago, or could not write it until now.
    record Recording() implements Found {}

    /// This server did not make it, or it is too old.
    record Unknown() implements Found {}
  }

  /// The code of a decision, as far as its id has it. Empty for a stored decision, whose id has
  /// none, and for an id that this server did not make. Never blocks.
  Optional<String> code(String id) {
    return codec.decode(id).map(decision -> decision.code().name());
  }

  Found find(String id, Person person) {
    Found.Known known =
        codec
            .decode(id)
            .map(decision -> known(id, decision, person))
            .or(() -> stored(id, id))
            .orElse(null);
    if (known == null) {
      return unrecorded(id);
    }
    return known.matter().at() < clock.now() - LONGEST_AGE.toMillis() ? new Found.Unknown() : known;
  }

  /// A decision without a record. A lost one can be appealed against as well: an outage of ours is
  /// nobody's fault.
  private Found unrecorded(String id) {
    Instant at = storedIds.issuedAt(id).orElse(null);
    Duration age = at == null ? LOST : Duration.ofMillis(clock.now() - at.toEpochMilli());
    if (at == null || age.compareTo(LOST) >= 0) {
      return new Found.Unknown();
    }
    return age.compareTo(RECORDING) < 0
        ? new Found.Recording()
        : new Found.Known(
            new Matter(
                id,
                Appeal.LOST,
                List.of(RuleVersion.LOST),
                RuleVersion.UNVERSIONED,
                null,
                0,
                id,
                at.toEpochMilli()),
            /* stored= */ null);
  }

  private Found.Known known(String id, Decision decision, Person person) {
    return stored(id, decision.ref())
        .orElseGet(() -> new Found.Known(matter(id, decision, person), /* stored= */ null));
  }

  private Matter matter(String id, Decision decision, Person person) {
    Ban ban = decision.code() == ErrorCode.CLIENT_BANNED ? ban(decision, person) : null;
    RuleVersion rule = rule(decision, ban);
    return new Matter(
        id,
        decision.code().name(),
        List.of(rule.rule()),
        rule.version(),
        decision.product(),
        ban == null ? 0 : ban.id(),
        decision.ref(),
        decision.at());
  }

  private static RuleVersion rule(Decision decision, @Nullable Ban ban) {
    if (decision.code() == ErrorCode.CLIENT_BANNED) {
      return ban == null ? RuleVersion.UNKNOWN_BAN : RuleVersion.of(ban);
    }
    return decision.rule().isEmpty()
        ? new RuleVersion(RuleVersion.ruleOf(decision.code()), RuleVersion.UNVERSIONED)
        : new RuleVersion(RuleVersion.OF_LIMITS + decision.rule(), decision.version());
  }

  private Optional<Found.Known> stored(String id, String ref) {
    return STORED_ID.matcher(ref).matches()
        ? decisions.find(ref).map(it -> new Found.Known(matter(id, ref, it), it))
        : Optional.empty();
  }

  private static Matter matter(String id, String ref, Stored it) {
    return new Matter(id, it.code(), it.rules(), it.version(), it.product(), 0, ref, it.at());
  }

  /// The ban of a decision. A ban of a feed has no id; a stored ban of the person takes its place.
  private @Nullable Ban ban(Decision decision, Person person) {
    if (decision.ban() != 0) {
      return bans.entry(decision.ban()).map(Ban.Entry::ban).orElse(null);
    }
    Caller caller = new Caller(person.address(), "", person.device(), null, person.account());
    return bans.find(person.address(), () -> caller).filter(ban -> ban.id() > 0).orElse(null);
  }

  /// A rule behind decisions and its version, as appeals name them: a limit with its numbers
  /// (`limit.join`, `3/60`), the author of a ban, a rule of risk with its bundle, or an error code.
  record RuleVersion(String rule, String version) {
    /// The beginnings of the names of limits and of rules of risk.
    static final String OF_LIMITS = "limit.";

    static final String OF_RISK = "risk.";

    /// The rule of decisions whose record was lost.
    static final String LOST = OF_RISK + "lost";

    /// The rule of decisions on risk without a strongest rule.
    static final String SCORE = OF_RISK + "score";

    static final String UNVERSIONED = "1";

    private static final String OF_BANS = "ban.";
    private static final String OF_OPERATORS = "operator";

    /// The rule behind a ban that is no longer known.
    static final RuleVersion UNKNOWN_BAN = new RuleVersion(OF_BANS + "unknown", UNVERSIONED);

    /// The rule behind a ban: `ban.` and its author. An author may name its version: `risk@4`.
    static RuleVersion of(Ban ban) {
      String author = ban.actor();
      int at = author.indexOf('@');
      if (at < 0) {
        return new RuleVersion(OF_BANS + author, UNVERSIONED);
      }
      String name = author.substring(0, at);
      // The address of the operator is no version.
      return new RuleVersion(
          OF_BANS + name, name.equals(OF_OPERATORS) ? UNVERSIONED : author.substring(at + 1));
    }

    /// The name of the rule behind refusals that have no other: their error code.
    static String ruleOf(ErrorCode code) {
      return code.name().toLowerCase(Locale.ROOT);
    }
  }
}
