package fairgate.gate.challenge;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Cost and lifetime of a proof-of-work challenge.
///
/// A browser tries `16 ^ length(keyPrefix)` counters on average, with `cost` hashes each; the
/// server needs `cost` hashes to verify. Many cheap tries therefore keep the server's share small.
/// The default is 65,536 tries of 16 hashes, measured as 0.5 s of one server core with our solver
/// (a phone should need about a second with its workers; one in a hundred takes 4.6 times the
/// average), 8 microseconds to verify and 3 to issue. The official widget calls the browser for
/// every hash and takes several times as long as our solver.
///
/// It is a price and not a proof of humanity: a farm or a graphics card pays it quickly.
///
/// @param algorithm `SHA-256` or `PBKDF2/SHA-256`
/// @param cost hashes (or iterations) per try
/// @param keyPrefix lower-case hex; an even number of digits is fastest in the official widget
/// @param life lifetime of a challenge from its creation; long enough to fetch and solve it before
///   a sale opens
/// @param crowd factors on the cost by rising demand; empty for a constant cost
public record AltchaConfig(
    String algorithm, int cost, String keyPrefix, Duration life, List<CrowdLevel> crowd) {
  private static final int DEAREST = 1_000_000;
  private static final Duration SHORTEST = Duration.ofSeconds(10);
  private static final Duration LONGEST = Duration.ofHours(1);
  private static final int STEEPEST = 64;

  public AltchaConfig {
    crowd = List.copyOf(crowd);
  }

  /// Without higher costs under demand.
  public AltchaConfig(String algorithm, int cost, String keyPrefix, Duration life) {
    this(algorithm, cost, keyPrefix, life, List.of());
  }

  public static AltchaConfig defaults() {
    return new AltchaConfig(
        ProofAlgorithm.SHA_256.wireName(),
        16,
        "0000",
        Duration.ofMinutes(10),
        List.of(new CrowdLevel(200, 2), new CrowdLevel(1_000, 4)));
  }

  /// The errors in these settings; empty when there are none.
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
    if (!isRising()) {
      problems.add(
          "altcha.crowd: pairs like 200:2 of rising numbers per second and factors up to "
              + STEEPEST);
    }
    return problems;
  }

  private boolean isRising() {
    CrowdLevel below = new CrowdLevel(0, 1);
    for (CrowdLevel level : crowd) {
      if (level.perSecond() <= below.perSecond()
          || level.factor() < below.factor()
          || level.factor() > STEEPEST) {
        return false;
      }
      below = level;
    }
    return true;
  }
}
