package fairgate.gate;

import fairgate.gate.challenge.Altcha;
import fairgate.gate.challenge.ChallengeProvider;
import fairgate.gate.challenge.CountedChallenge;
import fairgate.gate.challenge.FallbackChallenge;
import fairgate.gate.challenge.TestChallenge;
import fairgate.gate.challenge.Turnstile;
import fairgate.platform.http.Route;
import java.util.List;

/// The gate, wired: the challenge for the routes that need one, and the gate's own routes.
public final class GateFeature implements AutoCloseable {
  private final ChallengeProvider challenge;

  private GateFeature(ChallengeProvider challenge) {
    this.challenge = challenge;
  }

  /// Throws IllegalArgumentException when the settings have problems.
  public static GateFeature wire(GateConfig config, GateSeams seams) {
    List<String> problems = config.problems();
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
    return new GateFeature(new CountedChallenge(provider(config, seams), seams.metrics()));
  }

  /// Judges the token a request carries.
  public ChallengeProvider challenge() {
    return challenge;
  }

  public List<Route> routes() {
    return new ChallengeRoutes(challenge).routes();
  }

  /// Gives back threads and connections.
  @Override
  public void close() {
    challenge.close();
  }

  private static ChallengeProvider provider(GateConfig config, GateSeams seams) {
    return switch (config.challenge()) {
      case TEST -> new TestChallenge();
      case ALTCHA -> altcha(config, seams);
      case TURNSTILE -> {
        Turnstile turnstile =
            new Turnstile(config.turnstile(), seams.ids(), seams.clock(), seams.vertx());
        yield config.turnstile().fallback()
            ? new FallbackChallenge(turnstile, altcha(config, seams))
            : turnstile;
      }
    };
  }

  private static Altcha altcha(GateConfig config, GateSeams seams) {
    return new Altcha(config.altcha(), seams.keys(), seams.ids(), seams.clock(), seams.vertx());
  }
}
