package fairgate.gate;

import fairgate.gate.challenge.AltchaConfig;
import fairgate.gate.challenge.ChallengeKind;
import fairgate.gate.challenge.WidgetConfig;
import java.util.ArrayList;
import java.util.List;

/// What the gate asks of those who want to pass.
///
/// @param altcha also how hard the proof of work is that steps in for a widget
/// @param widget for Turnstile or hCaptcha, whichever is the challenge
public record GateConfig(ChallengeKind challenge, AltchaConfig altcha, WidgetConfig widget) {
  /// Proof of work.
  public static GateConfig defaults() {
    return new GateConfig(ChallengeKind.ALTCHA, AltchaConfig.defaults(), WidgetConfig.defaults());
  }

  /// The same settings with another challenge.
  public GateConfig withChallenge(ChallengeKind kind) {
    return new GateConfig(kind, altcha, widget);
  }

  /// What is wrong with these settings anywhere; empty when nothing is.
  public List<String> problems() {
    List<String> problems = new ArrayList<>(altcha.problems());
    if (hasWidget()) {
      problems.addAll(widget.problems());
    }
    return problems;
  }

  /// What is unsafe about these settings where real people buy; `serve` refuses to start with any.
  public List<String> problemsInProduction() {
    return switch (challenge) {
      case ALTCHA -> List.of();
      case TURNSTILE, HCAPTCHA -> widget.problemsInProduction();
      case TEST ->
          List.of(
              "challenge.provider: test lets everybody in; choose altcha, turnstile or hcaptcha");
    };
  }

  /// What an operator should know and may mean: said in the log when a server starts.
  public List<String> warnings() {
    return hasWidget() && widget.hostnames().isEmpty()
        ? List.of("challenge.hostnames is empty: a token made on any site of this key passes")
        : List.of();
  }

  private boolean hasWidget() {
    return challenge == ChallengeKind.TURNSTILE || challenge == ChallengeKind.HCAPTCHA;
  }
}
