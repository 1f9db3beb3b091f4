package fairgate.gate.appeal;

import fairgate.gate.appeal.Appeal.Matter;
import fairgate.gate.appeal.AppealService.Person;
import fairgate.gate.ban.Ban;
import fairgate.gate.ban.BanEntry;
import fairgate.gate.ban.BanService;
import fairgate.kernel.Caller;
import fairgate.kernel.Decision;
import fairgate.kernel.DecisionCodec;
import fairgate.kernel.ErrorCode;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Finds out what a decision was about, from its id and from the engine that stored it.
final class DecisionMatters {
  /// How long a decision can be appealed against.
  static final Duration LONGEST_AGE = Duration.ofDays(183);

  private static final String UNVERSIONED = "1";
  private static final String STORED_ID = "[A-Za-z0-9_-]{22}";

  private final DecisionCodec codec;
  private final StoredDecisions decisions;
  private final BanService bans;
  private final AppealClock clock;

  DecisionMatters(
      DecisionCodec codec, StoredDecisions decisions, BanService bans, AppealClock clock) {
    this.codec = codec;
    this.decisions = decisions;
    this.bans = bans;
    this.clock = clock;
  }

  /// The decision of an id; null when this server did not make it or it is too old.
  @Nullable Matter find(String id, Person person) {
    Matter matter =
        codec
            .decode(id)
            .map(decision -> matter(id, decision, person))
            .or(() -> stored(id, id))
            .orElse(null);
    return matter == null || matter.at() < clock.now() - LONGEST_AGE.toMillis() ? null : matter;
  }

  private Matter matter(String id, Decision decision, Person person) {
    if (!decision.ref().isEmpty()) {
      Optional<Matter> stored = stored(id, decision.ref());
      if (stored.isPresent()) {
        return stored.get();
      }
    }
    List<String> rules;
    String version = UNVERSIONED;
    Ban ban = null;
    if (decision.code() == ErrorCode.CLIENT_BANNED) {
      ban = ban(decision, person);
      Consequences.RuleVersion rule =
          ban == null
              ? new Consequences.RuleVersion("ban.unknown", UNVERSIONED)
              : Consequences.rule(ban);
      rules = List.of(rule.rule());
      version = rule.version();
    } else if (decision.rule().isEmpty()) {
      rules = List.of(decision.code().name().toLowerCase(Locale.ROOT));
    } else {
      rules = List.of("limit." + decision.rule());
      version = decision.version();
    }
    return new Matter(
        id,
        decision.code().name(),
        rules,
        version,
        decision.product(),
        ban == null ? 0 : ban.id(),
        decision.ref(),
        decision.at());
  }

  private Optional<Matter> stored(String id, String ref) {
    return ref.matches(STORED_ID)
        ? decisions
            .find(ref)
            .map(
                it ->
                    new Matter(
                        id, it.code(), it.rules(), it.version(), it.product(), 0, ref, it.at()))
        : Optional.empty();
  }

  /// The ban of a decision. A ban that was new when it refused had no id yet; it is found by the
  /// person.
  private @Nullable Ban ban(Decision decision, Person person) {
    if (decision.ban() != 0) {
      return bans.entry(decision.ban()).map(BanEntry::ban).orElse(null);
    }
    Caller caller = new Caller(person.address(), "", person.device(), null, person.account());
    return bans.find(person.address(), () -> caller).filter(ban -> ban.id() > 0).orElse(null);
  }
}
