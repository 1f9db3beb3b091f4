package fairgate.gate.signal;

import fairgate.gate.challenge.DistinctCount;
import fairgate.gate.challenge.RecentMap;
import fairgate.gate.risk.Feature;
import fairgate.gate.risk.FeatureSchema;
import fairgate.gate.risk.FeatureSource;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskRequest;
import fairgate.gate.risk.RiskRoute;
import fairgate.kernel.DeviceId;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/// How the visitor used the page before the join, as the page tells it, and how many other browsers
/// of the sale moved exactly alike.
///
/// Equal movements are counted for one to two hours on this node, for at most 32,768 movements an
/// hour.
///
/// False positives: keys that move the pointer, eye trackers and switches draw straight lines at
/// equal intervals; a nervous person presses a button many times. Visitors without scripts, with a
/// screen reader or with one tap have no numbers or hardly any, which means nothing. A program can
/// send any numbers, or none. So the rules of the built-in bundle are only recorded.
public final class BehaviorSource implements FeatureSource {
  private static final FeatureSchema SCHEMA = FeatureSchema.latest();
  private static final Feature PRESENT = SCHEMA.feature("behavior_present");
  private static final Feature PAGE = SCHEMA.feature("page_ms");
  private static final Feature MOVES = SCHEMA.feature("pointer_moves");
  private static final Feature PATH = SCHEMA.feature("pointer_path");
  private static final Feature ENTROPY = SCHEMA.feature("pointer_entropy");
  private static final Feature STRAIGHTNESS = SCHEMA.feature("pointer_straightness");
  private static final Feature PAUSES = SCHEMA.feature("pointer_pauses");
  private static final Feature FOCUS = SCHEMA.feature("focus_changes");
  private static final Feature KEYS = SCHEMA.feature("key_presses");
  private static final Feature KEY_MILLIS = SCHEMA.feature("key_interval_ms");
  private static final Feature KEY_SPREAD = SCHEMA.feature("key_interval_spread");
  private static final Feature PRESSES = SCHEMA.feature("presses");
  private static final Feature PRESS_MILLIS = SCHEMA.feature("press_interval_ms");
  private static final Feature PRESS_SPREAD = SCHEMA.feature("press_interval_spread");
  private static final Feature REPEATED = SCHEMA.feature("movement_repeated");

  private static final Duration PERIOD = Duration.ofHours(1);
  private static final int MAX_MOVEMENTS = 32_768;

  /// Fewer moves are equal by chance.
  private static final int DISTINCTIVE_MOVES = 40;

  private final RecentMap<DistinctCount> browsers;

  public BehaviorSource(Clock clock) {
    this.browsers = new RecentMap<>(clock, PERIOD, MAX_MOVEMENTS, DistinctCount::new);
  }

  @Override
  public Future<Void> contribute(RiskRequest request, Features.Builder features) {
    if (request.route() == RiskRoute.JOIN && request.http() != null) {
      Optional<Behavior> sent = Behavior.of(request.http());
      sent.ifPresent(behavior -> set(request, behavior, features));
    }
    return DONE;
  }

  private void set(RiskRequest request, Behavior sent, Features.Builder features) {
    features
        .set(PRESENT, true)
        .set(PAGE, sent.pageMillis())
        .set(MOVES, sent.moves())
        .set(PATH, sent.path())
        .set(ENTROPY, sent.entropy())
        .set(STRAIGHTNESS, sent.straightness())
        .set(PAUSES, sent.pauses())
        .set(FOCUS, sent.focusChanges())
        .set(KEYS, sent.keys().count())
        .set(KEY_MILLIS, sent.keys().meanMillis())
        .set(KEY_SPREAD, sent.keys().spread())
        .set(PRESSES, sent.presses().count())
        .set(PRESS_MILLIS, sent.presses().meanMillis())
        .set(PRESS_SPREAD, sent.presses().spread());
    DeviceId device = request.caller().device();
    if (device != null && sent.moves() >= DISTINCTIVE_MOVES) {
      features.set(REPEATED, others(movement(request.sale(), sent), device));
    }
  }

  /// Without times, which a program that repeats a recording can vary at no cost.
  private static String movement(String sale, Behavior sent) {
    return String.join(
        " ",
        sale,
        Long.toString(sent.moves()),
        Long.toString(sent.path()),
        Long.toString(sent.entropy()),
        Long.toString(sent.straightness()),
        Long.toString(sent.pauses()));
  }

  private int others(String movement, DeviceId device) {
    browsers.touch(movement, one -> one.add(device.value()));
    return Math.max(0, browsers.max(movement, DistinctCount::count) - 1);
  }

  /// How a visitor used the page of a sale before the join, as `behavior.js` counts it. Numbers
  /// only: no positions, no times of day, no keys.
  ///
  /// @param pageMillis from the load of the page to the join
  /// @param moves of the mouse, pen or finger of at least 4 pixels
  /// @param path their length in pixels
  /// @param entropy of their directions, percent
  /// @param straightness distance between the ends of each stroke in percent of its path
  /// @param pauses of more than a quarter of a second between moves
  /// @param focusChanges times that the window lost or got the focus
  record Behavior(
      long pageMillis,
      long moves,
      long path,
      long entropy,
      long straightness,
      long pauses,
      long focusChanges,
      Rhythm keys,
      Rhythm presses) {
    static final String FIELD = "behavior";

    private static final long LONGEST_MILLIS = 86_400_000;
    private static final long MOST_MOVES = 9_999;
    private static final long LONGEST_PATH = 999_999;
    private static final long MOST = 999;
    private static final long LONGEST_INTERVAL = 60_000;

    /// Keys or presses.
    ///
    /// @param meanMillis between two of them
    /// @param spread standard deviation of the intervals in percent of their mean
    record Rhythm(long count, long meanMillis, long spread) {
      private static Rhythm of(JsonBody sent, String count, String unit) {
        return new Rhythm(
            sent.longInteger(count, 0, MOST),
            sent.longInteger(unit + "_ms", 0, LONGEST_INTERVAL),
            sent.longInteger(unit + "_spread", 0, MOST));
      }
    }

    /// The numbers in the body of a request; empty when there are none, when one is missing or
    /// beyond its bounds, or when the body is a form. A visitor whose browser counts wrongly still
    /// joins.
    static Optional<Behavior> of(Request request) {
      try {
        return Optional.ofNullable(request.json().optionalObject(FIELD)).map(Behavior::of);
      } catch (InvalidRequest e) {
        return Optional.empty();
      }
    }

    private static Behavior of(JsonBody sent) {
      return new Behavior(
          sent.longInteger("page_ms", 0, LONGEST_MILLIS),
          sent.longInteger("moves", 0, MOST_MOVES),
          sent.longInteger("path", 0, LONGEST_PATH),
          sent.longInteger("entropy", 0, 100),
          sent.longInteger("straight", 0, 100),
          sent.longInteger("pauses", 0, MOST),
          sent.longInteger("focus", 0, MOST),
          Rhythm.of(sent, "keys", "key"),
          Rhythm.of(sent, "presses", "press"));
    }
  }
}
