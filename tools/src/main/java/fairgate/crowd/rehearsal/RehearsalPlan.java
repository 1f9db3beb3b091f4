package fairgate.crowd.rehearsal;

import java.time.Duration;

/// The settings of a rehearsal.
///
/// @param buyers honest visitors, each with one browser
/// @param bots sessions that the bots try to get; a farm creates them from a few addresses
/// @param units units for sale
/// @param preset of the sale policy: `flash` or `queue`
/// @param arrival the time over which honest visitors arrive; the sale opens in the middle
/// @param longest the maximum duration of the rehearsal
/// @param proofHashes hashes per challenge; 0 if the challenge needs no work
/// @param phoneHashes hashes per second of one telephone
/// @param farmHashes hashes per second of the bots' whole farm
/// @param botAddresses addresses of the farm
/// @param forwarded whether calls have `X-Forwarded-For`, as from a trusted proxy
/// @param seed of all random choices: the same seed gives the same visitors
public record RehearsalPlan(
    int buyers,
    int bots,
    int units,
    String preset,
    Duration arrival,
    Duration longest,
    long proofHashes,
    long phoneHashes,
    long farmHashes,
    int botAddresses,
    boolean forwarded,
    long seed) {

  /// How long one telephone works at one challenge.
  Duration phoneWork() {
    return Duration.ofMillis(proofHashes * 1000 / phoneHashes);
  }

  /// How long the farm works at one challenge, one after the other.
  double farmWorkMillis() {
    return proofHashes * 1000.0 / farmHashes;
  }
}
