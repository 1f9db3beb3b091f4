package fairgate.gate;

import fairgate.gate.challenge.Altcha;
import fairgate.gate.challenge.ChallengeProvider;
import fairgate.gate.challenge.CountedChallenge;
import fairgate.gate.challenge.SliderChallenge;
import fairgate.gate.challenge.SliderChallenge.FirstUse;
import fairgate.gate.challenge.TestChallenge;
import fairgate.gate.challenge.WidgetChallenge;
import fairgate.gate.challenge.WidgetChallenge.FallbackChallenge;
import fairgate.kernel.Ids;
import fairgate.kernel.JoinStep;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Wires the gate: the challenge for the routes that need one, and the gate's own routes.
public final class GateFeature implements AutoCloseable {
  private final ChallengeProvider challenge;
  private final Supplier<Health.Status> health;
  private final GateDependencies seams;
  private final SliderChallenge slider;
  private final ChallengeProvider countedSlider;
  private final JoinSteps steps;

  private GateFeature(
      ChallengeProvider challenge, Supplier<Health.Status> health, GateDependencies seams) {
    this.challenge = new CountedChallenge(challenge, seams.metrics());
    this.health = health;
    this.seams = seams;
    this.slider = new SliderChallenge(parts(seams), seams.used());
    this.countedSlider = new CountedChallenge(slider, seams.metrics());
    this.steps = new JoinSteps(seams.keys(), seams.clock());
    steps.offer(JoinStep.SLIDER, _ -> true);
  }

  /// A gate with a challenge that needs no outside service.
  private static GateFeature of(ChallengeProvider provider, GateDependencies seams) {
    return new GateFeature(provider, Health.Status::good, seams);
  }

  private static ChallengeProvider.Dependencies parts(GateDependencies seams) {
    return new ChallengeProvider.Dependencies(
        seams.vertx(), seams.clock(), seams.ids(), seams.keys());
  }

  /// Throws IllegalArgumentException when the settings have problems.
  public static GateFeature wire(GateConfig config, GateDependencies seams) {
    List<String> problems = config.problems();
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
    ChallengeProvider.Dependencies parts = parts(seams);
    return switch (config.challenge()) {
      case TEST -> of(new TestChallenge(), seams);
      case ALTCHA -> of(new Altcha(config.altcha(), parts), seams);
      case TURNSTILE -> widget(config, WidgetChallenge.turnstile(config.widget(), parts), seams);
      case HCAPTCHA -> widget(config, WidgetChallenge.hcaptcha(config.widget(), parts), seams);
    };
  }

  public ChallengeProvider challenge() {
    return challenge;
  }

  public JoinSteps steps() {
    return steps;
  }

  /// The gate's own routes.
  ///
  /// @param sparing whether the sender of a request may join a sale without a challenge; never
  ///   fails
  /// @param attempts counts an attempt of a browser and its address at a slider: zero if it is
  ///   granted, otherwise the time to wait; never fails
  public List<Route> routes(
      BiFunction<Request, ProductId, Future<Boolean>> sparing,
      Function<Request, Future<Duration>> attempts) {
    return Stream.concat(
            new ChallengeRoutes(challenge, slider, sparing).routes().stream(),
            new StepRoutes(steps, challenge, countedSlider, attempts, seams.used())
                .routes().stream())
        .toList();
  }

  @Override
  public void close() {
    challenge.close();
    slider.close();
  }

  /// The state of the challenge, for `/health/ready`.
  public Health.Status health() {
    return health.get();
  }

  private static GateFeature widget(
      GateConfig config, WidgetChallenge widget, GateDependencies seams) {
    boolean fallback = config.widget().fallback();
    ChallengeProvider provider =
        fallback
            ? new FallbackChallenge(widget, new Altcha(config.altcha(), parts(seams)))
            : widget;
    return new GateFeature(provider, () -> statusOf(widget, fallback), seams);
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

  /// Dependencies of the gate.
  ///
  /// @param keys signs challenges (purposes `altcha` and `altcha-device`)
  /// @param clock the nodes' clocks may differ by up to a minute
  /// @param used uses up the solutions of steps before a join
  public record GateDependencies(
      Vertx vertx, Clock clock, Ids ids, KeyRing keys, Metrics metrics, FirstUse used) {}
}
