package fairgate.gate.challenge;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/// Cost and lifetime of a proof-of-work challenge.
///
/// A browser tries `16 ^ length(keyPrefix)` counters on average, with `cost` hashes each; the
/// server needs `cost` hashes to verify. Many cheap tries therefore keep the server's share small.
/// The default is 65,536 tries of 16 hashes. A slow telephone needs 0.6 s on average (one in a
/// hundred takes 4.6 times the average), an attacker 0.04 s of one core, the server 2 microseconds
/// to verify; ADR 0031 has the measurement. The official widget calls the browser for every hash
/// and takes several times as long as our solver.
///
/// It is a price and not a proof of humanity: a farm or a graphics card pays it quickly.
///
/// @param algorithm `SHA-256` or `PBKDF2/SHA-256`
/// @param cost hashes (or iterations) per try
/// @param keyPrefix lower-case hex; an even number of digits is fastest in the official widget
/// @param life lifetime of a challenge from its creation: short, so that solutions cannot be
///   collected before a sale
/// @param crowd factors on the cost by challenges per second on this node; empty for none
/// @param network factors on the cost by the challenges that the caller's network has solved for
///   this product in the last ten to twenty minutes, on this node; empty for none
/// @param maxFactor the maximum of both factors together, so that the cost stays bearable for a
///   slow telephone in a crowded network
public record AltchaConfig(
    String algorithm,
    int cost,
    String keyPrefix,
    Duration life,
    List<CostLevel> crowd,
    List<CostLevel> network,
    int maxFactor) {
  private static final int DEAREST = 1_000_000;
  private static final Duration SHORTEST = Duration.ofSeconds(10);
  private static final Duration LONGEST = Duration.ofHours(1);
  private static final int STEEPEST = 64;

  public AltchaConfig {
    crowd = List.copyOf(crowd);
    network = List.copyOf(network);
  }

  /// With a constant cost.
  public AltchaConfig(String algorithm, int cost, String keyPrefix, Duration life) {
    this(algorithm, cost, keyPrefix, life, List.of(), List.of(), 1);
  }

  public static AltchaConfig defaults() {
    return new AltchaConfig(
        ProofAlgorithm.SHA_256.wireName(),
        16,
        "0000",
        Duration.ofMinutes(2),
        List.of(new CostLevel(200, 2)),
        List.of(new CostLevel(10, 2), new CostLevel(25, 4)),
        4);
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
    if (!CostLevel.areRising(crowd, STEEPEST)) {
      problems.add(
          "altcha.crowd: pairs like 200:2 of rising numbers per second and factors up to "
              + STEEPEST);
    }
    if (!CostLevel.areRising(network, STEEPEST)) {
      problems.add(
          "altcha.network: pairs like 10:2 of rising numbers of solved challenges and factors up to "
              + STEEPEST);
    }
    if (maxFactor < 1 || maxFactor > STEEPEST) {
      problems.add("altcha.max_factor: 1 to " + STEEPEST);
    }
    return problems;
  }

  /// A number of challenges, and the factor on the cost of proof of work above that number.
  public record CostLevel(int above, int factor) {
    private static final Pattern PAIR = Pattern.compile("(\\d{1,7}):([1-9]\\d{0,2})");

    /// Parses pairs such as `200:2,1000:4`; `none` or an empty text has no levels. Throws
    /// IllegalArgumentException with the problem.
    public static List<CostLevel> list(String text) {
      if (text.isBlank() || text.strip().equals("none")) {
        return List.of();
      }
      return Arrays.stream(text.split(",", -1)).map(pair -> one(pair.strip())).toList();
    }

    private static CostLevel one(String pair) {
      var parts = PAIR.matcher(pair);
      if (!parts.matches()) {
        throw new IllegalArgumentException("expected none, or pairs like 200:2, not " + pair);
      }
      return new CostLevel(Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2)));
    }

    /// The factor of the highest level below the count; 1 when the count is below all levels.
    ///
    /// @param levels in rising order
    static int factor(List<CostLevel> levels, long count) {
      int factor = 1;
      for (CostLevel level : levels) {
        if (count > level.above()) {
          factor = level.factor();
        }
      }
      return factor;
    }

    /// Whether counts and factors rise, from a count of 1, up to this factor.
    static boolean areRising(List<CostLevel> levels, int maxFactor) {
      CostLevel below = new CostLevel(0, 1);
      for (CostLevel level : levels) {
        if (level.above() <= below.above()
            || level.factor() < below.factor()
            || level.factor() > maxFactor) {
          return false;
        }
        below = level;
      }
      return true;
    }
  }
}
