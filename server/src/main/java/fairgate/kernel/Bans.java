package fairgate.kernel;

import java.time.Duration;

/// Where a feature has somebody banned by itself. The gate stands behind it.
@FunctionalInterface
public interface Bans {
  /// Bars the subject for so long: on this node at once, on all nodes within a second of its being
  /// written. A subject that is banned already keeps the longer of the two ends. Never blocks and
  /// never fails; what cannot be written for long is given up and counted.
  ///
  /// @param reason for operators, in English, such as `20 wrong codes in a minute`
  /// @param actor who did it, such as `redeem`
  void ban(BanSubject subject, String reason, String actor, Duration length);

  /// For where nobody is banned.
  static Bans none() {
    return (_, _, _, _) -> {};
  }
}
