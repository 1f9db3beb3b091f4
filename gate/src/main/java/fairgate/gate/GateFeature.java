package fairgate.gate;

import fairgate.gate.challenge.Altcha;
import fairgate.gate.challenge.ChallengeDependencies;
import fairgate.gate.challenge.ChallengeProvider;
import fairgate.gate.challenge.CountedChallenge;
import fairgate.gate.challenge.FallbackChallenge;
import fairgate.gate.challenge.TestChallenge;
import fairgate.gate.challenge.WidgetChallenge;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/// Wires the gate: the challenge for the routes that need one, and the gate's own routes.
public final class GateFeature implements AutoCloseable {
  private final ChallengeProvider challenge;
  private final Supplier<Health.Status> health;

  private GateFeature(ChallengeProvider challenge, Supplier<Health.Status> health) {
    this.challenge = challenge;
    this.health = health;
  }

  /// A gate with a challenge that needs no outside service.
  private static GateFeature of(ChallengeProvider provider, Metrics metrics) {
    return new GateFeature(new CountedChallenge(provider, metrics), Health.Status::good);
  }

  /// Throws IllegalArgumentException when the settings have problems.
  public static GateFeature wire(GateConfig config, GateDependencies seams) {
    List<String> problems = config.problems();
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
    ChallengeDependencies parts =
        new ChallengeDependencies(seams.vertx(), seams.clock(), seams.ids(), seams.keys());
    return switch (config.challenge()) {
      case TEST -> of(new TestChallenge(), seams.metrics());
      case ALTCHA -> of(new Altcha(config.altcha(), parts), seams.metrics());
      case TURNSTILE ->
          widget(config, WidgetChallenge.turnstile(config.widget(), parts), parts, seams.metrics());
      case HCAPTCHA ->
          widget(config, WidgetChallenge.hcaptcha(config.widget(), parts), parts, seams.metrics());
    };
  }

  /// The provider that verifies the token of a request.
  public ChallengeProvider challenge() {
    return challenge;
  }

  /// The gate's own routes.
  ///
  /// @param sparing whether the sender of a request may join a sale without a challenge; never
  ///   fails
  public List<Route> routes(BiFunction<Request, ProductId, Future<Boolean>> sparing) {
    return new ChallengeRoutes(challenge, sparing).routes();
  }

  /// Releases threads and connections.
  @Override
  public void close() {
    challenge.close();
  }

  /// The state of the challenge, for `/health/ready`.
  public Health.Status health() {
    return health.get();
  }

  private static GateFeature widget(
      GateConfig config, WidgetChallenge widget, ChallengeDependencies seams, Metrics metrics) {
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
                + " does not respond; "
                + (fallback ? "proof of work replaces it" : "nobody can join"))
        : Health.Status.good();
  }
}
