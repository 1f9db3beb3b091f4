package fairgate.platform.events;

import java.time.Duration;

/// The settings of a relay.
///
/// @param batch the maximum number of entries per read and stream, and per transaction
/// @param block the time that a read waits for entries, and after which a new stream is noticed
/// @param claimIdle the time after which an unfinished entry of another relay is claimed
/// @param tries the number of tries before a refused entry is parked. It may depend on an entry of
///   a dead relay, so all tries together take longer than claiming
/// @param firstRetry the pause before the second try; it doubles after each
/// @param trimMargin the minimum number of finished entries that stay in the stream
/// @param trimEvery the minimum time between two trims of a stream
public record RelaySettings(
    int batch,
    Duration block,
    Duration claimIdle,
    int tries,
    Duration firstRetry,
    int trimMargin,
    Duration trimEvery) {
  /// The settings of a server.
  public static RelaySettings standard() {
    return new RelaySettings(
        1_000,
        Duration.ofMillis(500),
        Duration.ofSeconds(30),
        10,
        Duration.ofMillis(100),
        10_000,
        Duration.ofSeconds(10));
  }

  /// The interval at which the relay looks for entries to claim.
  Duration claimEvery() {
    return claimIdle.dividedBy(6);
  }
}
