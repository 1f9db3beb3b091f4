package fairgate.kernel;

import java.time.Duration;

/// Automatic bans by features. Implemented by the gate.
@FunctionalInterface
public interface Bans {
  /// Bans the subject: immediately on this node, and on all nodes within a second after the ban is
  /// written. The ban of an already banned subject is extended if the new end is later. Never
  /// blocks and never fails; a ban that cannot be written for a long time is dropped and counted.
  ///
  /// @param reason for operators, in English, such as `20 wrong codes in a minute`
  /// @param actor the banning feature, such as `redeem`
  void ban(BanSubject subject, String reason, String actor, Duration length);

  /// Bans that have no effect.
  static Bans none() {
    return (_, _, _, _) -> {};
  }
}
