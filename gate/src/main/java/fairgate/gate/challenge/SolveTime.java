package fairgate.gate.challenge;

import java.time.Clock;
import java.util.Optional;

/// The time that a proof of work took, from the issue of the challenge to now.
///
/// @param millis includes the network and everything else that the browser did
/// @param hashes the work of the solution
public record SolveTime(long millis, long hashes) {
  /// More than any telephone or browser computes in a millisecond.
  private static final long HASHES_PER_MILLI = 20_000;

  /// A browser needs longer to fetch a challenge, start a worker and send the solution.
  private static final long SHORTEST_MILLIS = 8;

  /// Reads the time from a token; empty for a token of another challenge. The token is not
  /// verified: a forged one is refused later in the same request.
  public static Optional<SolveTime> of(String token, Clock clock) {
    return !AltchaPayload.looksLikeOne(token)
        ? Optional.empty()
        : AltchaPayload.read(token)
            .map(
                payload ->
                    new SolveTime(
                        Math.max(0, clock.millis() - payload.parameters().issuedAt()),
                        (Math.clamp(payload.counter(), 0, Integer.MAX_VALUE) + 1L)
                            * payload.parameters().cost()));
  }

  /// Whether no browser is that fast.
  public boolean isImpossible() {
    return millis < SHORTEST_MILLIS + hashes / HASHES_PER_MILLI;
  }
}
