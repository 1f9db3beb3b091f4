package fairgate.redeem.guard;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Bans of callers for guessing, recorded for operators, who can lift them.
public interface ClaimBans {
  /// A ban, in force or past.
  ///
  /// @param subject `ip:` or `device:` and its value
  /// @param liftedAt null unless an operator ended it
  record Ban(
      long id,
      String subject,
      String reason,
      Instant bannedAt,
      Instant until,
      @Nullable Instant liftedAt,
      @Nullable String liftedBy) {}

  /// Records a new ban. Does not block; failures are logged.
  void record(String subject, Duration length);

  /// The newest bans first.
  ///
  /// @param all past ones too
  List<Ban> list(boolean all, int max);

  /// Ends a ban at once; the subject's misses are forgotten. A repeat changes nothing. Empty when
  /// there is no such ban. Blocks.
  Optional<Ban> lift(long id, String actor, String reason);
}
