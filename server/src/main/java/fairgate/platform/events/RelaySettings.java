package fairgate.platform.events;

import java.time.Duration;

/// How the relay works.
///
/// @param batch most entries per read and stream, and per transaction
/// @param block how long one read waits for entries; also how soon a new stream is noticed
/// @param claimIdle after which an entry another relay took and never finished is taken over
/// @param tries after which an entry that cannot be taken is parked; what it needs may be with a
///   relay that died, so all of them take longer than taking over
/// @param firstRetry pause before its second try; doubles after each
/// @param trimMargin finished entries that stay in the stream at least
/// @param trimEvery shortest time between two trims of a stream
public record RelaySettings(
    int batch,
    Duration block,
    Duration claimIdle,
    int tries,
    Duration firstRetry,
    int trimMargin,
    Duration trimEvery) {
  /// What a server runs with.
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

  /// How often the relay looks for entries to take over.
  Duration claimEvery() {
    return claimIdle.dividedBy(6);
  }
}
