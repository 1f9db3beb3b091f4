package fairgate.gate;

import fairgate.gate.challenge.AltchaConfig;
import fairgate.gate.challenge.ChallengeKind;
import fairgate.gate.challenge.TurnstileConfig;
import java.util.ArrayList;
import java.util.List;

/// What the gate asks of those who want to pass.
///
/// @param altcha also how hard the proof of work is that steps in for Turnstile
public record GateConfig(ChallengeKind challenge, AltchaConfig altcha, TurnstileConfig turnstile) {
  /// Proof of work.
  public static GateConfig defaults() {
    return new GateConfig(
        ChallengeKind.ALTCHA, AltchaConfig.defaults(), TurnstileConfig.defaults());
  }

  /// The same settings with another challenge.
  public GateConfig withChallenge(ChallengeKind kind) {
    return new GateConfig(kind, altcha, turnstile);
  }

  /// What is wrong with these settings anywhere; empty when nothing is.
  public List<String> problems() {
    List<String> problems = new ArrayList<>(altcha.problems());
    if (challenge == ChallengeKind.TURNSTILE) {
      problems.addAll(turnstile.problems());
    }
    return problems;
  }

  /// What is unsafe about these settings where real people buy; `serve` refuses to start with any.
  public List<String> problemsInProduction() {
    return switch (challenge) {
      case ALTCHA -> List.of();
      case TURNSTILE -> turnstile.problemsInProduction();
      case TEST -> List.of("challenge: test, which lets everybody pass");
    };
  }
}
