package fairgate.crowd.rehearsal;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The result of the attack zoo.
///
/// @param crowds in the order they ran
/// @param notJudged reasons by identity why its lines were not judged
public record ZooResult(
    ZooPlan plan,
    ZooServer server,
    List<CrowdResult> crowds,
    Map<BuyerIdentity, String> notJudged) {

  /// A line of the contract with its value.
  ///
  /// @param measured as text
  record Judgement(Bound bound, String measured, Verdict verdict, String reason) {}

  enum Verdict {
    HOLDS("holds"),
    BROKEN("BROKEN"),
    NOT_JUDGED("not judged");

    private final String text;

    Verdict(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  /// Every line of the chosen crowds.
  List<Judgement> judgements() {
    return Bound.ALL.stream()
        .filter(bound -> plan.crowds().contains(bound.crowd()))
        .map(this::judge)
        .toList();
  }

  private Judgement judge(Bound bound) {
    CrowdResult result =
        crowds.stream()
            .filter(
                one -> one.crowd().letter() == bound.crowd() && one.identity() == bound.identity())
            .findFirst()
            .orElse(null);
    if (result == null) {
      String reason = notJudged.getOrDefault(bound.identity(), "the crowd did not run");
      return new Judgement(bound, "", Verdict.NOT_JUDGED, reason);
    }
    double value = bound.value().applyAsDouble(result);
    String measured = ReportTable.number(value);
    Verdict verdict = bound.holds(value) ? Verdict.HOLDS : Verdict.BROKEN;
    return new Judgement(bound, measured, verdict, "");
  }

  /// Whether all judged lines hold, and the server and this harness agree on what was sold.
  public boolean passed() {
    return judgements().stream().noneMatch(one -> one.verdict() == Verdict.BROKEN)
        && problems().isEmpty();
  }

  /// Faults apart from the contract.
  List<String> problems() {
    return crowds.stream()
        .filter(one -> !one.addsUp() || one.oversold() || one.serverErrors() > 0)
        .map(
            one ->
                String.format(
                    Locale.ROOT,
                    "(%c) %s: %d units sold of %d%s; %d internal errors",
                    one.crowd().letter(),
                    one.identity().word(),
                    one.attack().sold(),
                    one.crowd().sale().units(),
                    one.addsUp() ? "" : ", which are not those in the replies",
                    one.serverErrors()))
        .toList();
  }
}
