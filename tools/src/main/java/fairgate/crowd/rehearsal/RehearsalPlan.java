package fairgate.crowd.rehearsal;

import java.time.Duration;

/// What is rehearsed.
///
/// @param buyers honest people; each is one browser
/// @param bots sessions the bots try to get; a farm makes them from a few addresses
/// @param units put on sale
/// @param preset of the sale policy: `flash` or `queue`
/// @param arrival over how long the honest come; the sale opens when half of it has passed
/// @param longest the rehearsal ends by then whatever happens
/// @param proofHashes hashes one challenge costs; 0 when the door asks for no work
/// @param phoneHashes hashes a second of one telephone
/// @param farmHashes hashes a second of the bots' whole farm
/// @param botAddresses addresses the farm has
/// @param forwarded whether calls carry `X-Forwarded-For`, as from a trusted proxy
/// @param seed of all chance: the same seed gives the same people
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
