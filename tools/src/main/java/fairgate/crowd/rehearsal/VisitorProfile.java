package fairgate.crowd.rehearsal;

import java.time.Duration;

/// The behaviour of a simulated person.
///
/// @param earliest arrival, relative to the opening; negative = before it
/// @param latest arrival; each person comes at a random time between the two
/// @param keepsCookies whether it stays the same browser
/// @param shows false if it takes a place and never asks again
/// @param opensPages whether it opens the sale's page before each step, like a browser without
///   scripts
/// @param hashRate hashes per second for the proof of work
/// @param pace how it asks and buys
record VisitorProfile(
    Duration earliest,
    Duration latest,
    boolean keepsCookies,
    boolean shows,
    boolean opensPages,
    long hashRate,
    Pace pace) {

  /// How a person with a place asks, thinks and buys.
  ///
  /// @param units wanted at once; one unit is tried when more are refused
  /// @param asksFromOpening true if it asks for its turn only from the opening on
  /// @param spread between the first questions of two places of the crowd after the opening: an
  ///   attacker with one address spreads them, because an address may call only so often
  /// @param looksEvery time between two questions; zero = as the server advises
  /// @param slower added to each pause, up to this much
  /// @param thinks time between its turn and its purchase, up to twice this
  record Pace(
      int units,
      boolean asksFromOpening,
      Duration spread,
      Duration looksEvery,
      Duration slower,
      Duration thinks) {}

  /// Hashes per second of one telephone.
  static final long TELEPHONE = 1_000_000;

  /// Hashes per second of one core with a native program: a proof of the default cost, a million
  /// hashes, was measured as 0.026 core-seconds.
  static final long CORE = 40_000_000;

  /// Three calls at five calls a second, the default limit of an address.
  static final Duration ONE_ADDRESS = Duration.ofMillis(600);

  private static final Duration NOW = Duration.ZERO;

  /// A person with a telephone who follows the page.
  static VisitorProfile honest() {
    return new VisitorProfile(
        Duration.ofSeconds(-4),
        Duration.ofSeconds(4),
        true,
        true,
        true,
        TELEPHONE,
        new Pace(1, false, NOW, NOW, Duration.ofMillis(200), Duration.ofMillis(1_500)));
  }

  /// A script that takes a place before the opening, and buys as fast as it can from then on.
  ///
  /// @param earliest before the opening
  /// @param spread between its places
  static VisitorProfile script(Duration earliest, boolean keepsCookies, Duration spread) {
    return new VisitorProfile(
        earliest.negated(),
        Duration.ofSeconds(-2),
        keepsCookies,
        true,
        false,
        CORE,
        new Pace(2, true, spread, Duration.ofMillis(400), NOW, NOW));
  }

  /// A person who takes a place with a telephone or computer, and leaves the rest to a program.
  static VisitorProfile gatekeeper() {
    return new VisitorProfile(
        Duration.ofSeconds(-14),
        Duration.ofSeconds(-3),
        true,
        true,
        true,
        TELEPHONE,
        new Pace(2, false, NOW, Duration.ofMillis(400), NOW, NOW));
  }

  /// The same with less time for the arrival, for fewer people. At least a second is left.
  ///
  /// @param share of the time, up to 1
  VisitorProfile hurried(double share) {
    long most = -(latest.toMillis() - 1_000);
    long lead = Math.max(most, Math.round(-earliest.toMillis() * share));
    boolean isEarly = latest.isNegative() && share < 1;
    return isEarly
        ? new VisitorProfile(
            Duration.ofMillis(-lead), latest, keepsCookies, shows, opensPages, hashRate, pace)
        : this;
  }

  /// A script that takes a place and never asks again.
  static VisitorProfile absent(Duration earliest, Duration latest) {
    return new VisitorProfile(
        earliest.negated(),
        latest.negated(),
        true,
        false,
        false,
        CORE,
        new Pace(1, true, NOW, NOW, NOW, NOW));
  }

  /// A program that comes to its turn and lets it pass.
  ///
  /// @param window of the sale; it wakes up when its turn is over
  static VisitorProfile idle(Duration earliest, Duration latest, Duration window) {
    return new VisitorProfile(
        earliest.negated(),
        latest.negated(),
        true,
        true,
        false,
        CORE,
        new Pace(1, false, NOW, NOW, NOW, window.multipliedBy(2).plusSeconds(2)));
  }

  /// A slow telephone, or a person with a screen reader.
  ///
  /// @param opensPages page by page, without scripts
  static VisitorProfile slow(boolean opensPages) {
    return new VisitorProfile(
        Duration.ofSeconds(-15),
        Duration.ofSeconds(2),
        true,
        true,
        opensPages,
        TELEPHONE / 8,
        new Pace(1, false, NOW, NOW, Duration.ofSeconds(9), Duration.ofSeconds(8)));
  }
}
