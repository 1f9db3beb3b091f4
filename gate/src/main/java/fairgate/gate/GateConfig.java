package fairgate.gate;

import fairgate.gate.challenge.AltchaConfig;
import fairgate.gate.challenge.WidgetConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Settings of the challenge.
///
/// @param altcha proof of work, also as the fallback of a widget
/// @param widget Turnstile or hCaptcha
public record GateConfig(ChallengeKind challenge, AltchaConfig altcha, WidgetConfig widget) {
  /// The defaults: proof of work.
  public static GateConfig defaults() {
    return new GateConfig(ChallengeKind.ALTCHA, AltchaConfig.defaults(), WidgetConfig.defaults());
  }

  public GateConfig withChallenge(ChallengeKind kind) {
    return new GateConfig(kind, altcha, widget);
  }

  /// The errors in these settings; empty when there are none.
  public List<String> problems() {
    List<String> problems = new ArrayList<>(altcha.problems());
    if (hasWidget()) {
      problems.addAll(widget.problems());
    }
    return problems;
  }

  /// Settings that are unsafe in production; `serve` refuses to start with any.
  public List<String> problemsInProduction() {
    return switch (challenge) {
      case ALTCHA -> List.of();
      case TURNSTILE, HCAPTCHA -> widget.problemsInProduction();
      case TEST ->
          List.of(
              "challenge.provider: test lets everybody in; choose altcha, turnstile or hcaptcha");
    };
  }

  /// Warnings about settings that may be intended, for the log at the start.
  public List<String> warnings() {
    return hasWidget() && widget.hostnames().isEmpty()
        ? List.of("challenge.hostnames is empty: a token made on any site of this key passes")
        : List.of();
  }

  private boolean hasWidget() {
    return challenge == ChallengeKind.TURNSTILE || challenge == ChallengeKind.HCAPTCHA;
  }

  public enum ChallengeKind {
    /// ChallengeResult of work, verified by this server.
    ALTCHA,
    /// Cloudflare's widget.
    TURNSTILE,
    /// hCaptcha's widget.
    HCAPTCHA,
    /// A fixed token; never in production.
    TEST;

    /// The name in the configuration.
    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<ChallengeKind> named(String name) {
      return Arrays.stream(values()).filter(kind -> kind.wireName().equals(name)).findFirst();
    }
  }
}
