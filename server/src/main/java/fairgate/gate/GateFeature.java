package fairgate.gate;

import fairgate.gate.challenge.Altcha;
import fairgate.gate.challenge.ChallengeProvider;
import fairgate.gate.challenge.ChallengeSeams;
import fairgate.gate.challenge.CountedChallenge;
import fairgate.gate.challenge.FallbackChallenge;
import fairgate.gate.challenge.TestChallenge;
import fairgate.gate.challenge.WidgetChallenge;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import java.util.List;
import java.util.function.Supplier;

/// The gate, wired: the challenge for the routes that need one, and the gate's own routes.
public final class GateFeature implements AutoCloseable {
  private final ChallengeProvider challenge;
  private final Supplier<Health.Status> health;

  private GateFeature(ChallengeProvider challenge, Supplier<Health.Status> health) {
    this.challenge = challenge;
    this.health = health;
  }

  /// A challenge that depends on nobody outside.
  private static GateFeature of(ChallengeProvider provider, Metrics metrics) {
    return new GateFeature(new CountedChallenge(provider, metrics), Health.Status::good);
  }

  /// Throws IllegalArgumentException when the settings have problems.
  public static GateFeature wire(GateConfig config, GateSeams seams) {
    List<String> problems = config.problems();
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
    ChallengeSeams parts =
        new ChallengeSeams(seams.vertx(), seams.clock(), seams.ids(), seams.keys());
    return switch (config.challenge()) {
      case TEST -> of(new TestChallenge(), seams.metrics());
      case ALTCHA -> of(new Altcha(config.altcha(), parts), seams.metrics());
      case TURNSTILE ->
          widget(config, WidgetChallenge.turnstile(config.widget(), parts), parts, seams.metrics());
      case HCAPTCHA ->
          widget(config, WidgetChallenge.hcaptcha(config.widget(), parts), parts, seams.metrics());
    };
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

  /// How the challenge fares, for `/health/ready`.
  public Health.Status health() {
    return health.get();
  }

  private static GateFeature widget(
      GateConfig config, WidgetChallenge widget, ChallengeSeams seams, Metrics metrics) {
    boolean fallback = config.widget().fallback();
    ChallengeProvider provider =
        fallback ? new FallbackChallenge(widget, new Altcha(config.altcha(), seams)) : widget;
    return new GateFeature(
        new CountedChallenge(provider, metrics), () -> statusOf(widget, fallback));
  }

  private static Health.Status statusOf(WidgetChallenge widget, boolean fallback) {
    if (widget.isMisconfigured()) {
      return Health.Status.worse(widget.name() + " refuses this server's keys; nobody can join");
    }
    return widget.isDown()
        ? Health.Status.worse(
            widget.name()
                + " does not answer; "
                + (fallback ? "proof of work steps in" : "nobody can join"))
        : Health.Status.good();
  }
}
