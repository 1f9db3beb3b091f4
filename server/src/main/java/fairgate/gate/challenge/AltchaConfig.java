package fairgate.gate.challenge;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// How hard the proof of work is, and how long a challenge may take.
///
/// A browser tries `16 ^ length(keyPrefix)` counters on average, each costing `cost` hashes; the
/// server makes `cost` hashes to verify. Many cheap tries therefore keep the server's share small:
/// the default is 65,536 tries of 16 hashes, measured as 0.5 s of one server core for our solver (a
/// telephone should need about a second with its workers; one in a hundred takes 4.6 times the
/// average), against 8 microseconds to verify and 3 to hand out. The official widget asks the
/// browser for every hash and takes several times as long as our solver.
///
/// It is a price, not a proof of humanity: a farm or a graphics card pays it quickly.
///
/// @param algorithm `SHA-256` or `PBKDF2/SHA-256`
/// @param cost hashes (or iterations) of one try
/// @param keyPrefix lower-case hex; the official widget is quickest with an even number of digits
/// @param life how long a challenge may be answered, from the moment it is made; long enough to be
///   fetched and solved before a sale opens
public record AltchaConfig(String algorithm, int cost, String keyPrefix, Duration life) {
  private static final int DEAREST = 1_000_000;
  private static final Duration SHORTEST = Duration.ofSeconds(10);
  private static final Duration LONGEST = Duration.ofHours(1);

  public static AltchaConfig defaults() {
    return new AltchaConfig(ProofAlgorithm.SHA_256.wireName(), 16, "0000", Duration.ofMinutes(10));
  }

  /// What is wrong with these settings; empty when nothing is.
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (ProofAlgorithm.named(algorithm).isEmpty()) {
      problems.add("altcha.algorithm: SHA-256 or PBKDF2/SHA-256, not " + algorithm);
    }
    if (cost < 1 || cost > DEAREST) {
      problems.add("altcha.cost: 1 to " + DEAREST);
    }
    if (!keyPrefix.matches("[0-9a-f]{1,7}")) {
      problems.add("altcha.key_prefix: 1 to 7 digits of lower-case hex");
    }
    if (life.compareTo(SHORTEST) < 0 || life.compareTo(LONGEST) > 0) {
      problems.add("altcha.life: 10 seconds to 1 hour");
    }
    return problems;
  }
}
