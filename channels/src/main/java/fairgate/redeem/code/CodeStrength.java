package fairgate.redeem.code;

import fairgate.platform.postgres.PostgresDatabase;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/// How hard codes are to guess: log2 of how many codes there could be for each one that lives.
/// Codes of one mask share one space.
public final class CodeStrength {
  /// Operators are warned below this number of bits: at 40, one guess in a million million is
  /// right.
  public static final double ENOUGH = 40;

  private final PostgresLiveCodes live;
  private final Function<String, CodeMask> masks;

  /// @param masks how the codes of a product look
  public CodeStrength(PostgresDatabase database, Function<String, CodeMask> masks) {
    this.live = new PostgresLiveCodes(database);
    this.masks = masks;
  }

  /// A set of possible codes.
  ///
  /// @param mask as in the settings
  /// @param products the products with codes of this mask
  /// @param live the number of valid codes
  /// @param bits difficulty of guessing one of them
  public record CodeSpace(String mask, List<String> products, long live, double bits) {
    /// Whether guessing has become too easy.
    public boolean isWeak() {
      return bits < ENOUGH;
    }
  }

  /// All spaces in use, by mask. Blocks.
  public List<CodeSpace> spaces() {
    Map<CodeMask, Map<String, Long>> spaces = new HashMap<>();
    live.byProduct()
        .forEach(
            (product, count) ->
                spaces
                    .computeIfAbsent(masks.apply(product), _ -> new TreeMap<>())
                    .put(product, count));
    return spaces.entrySet().stream()
        .map(entry -> space(entry.getKey(), entry.getValue()))
        .sorted(java.util.Comparator.comparing(CodeSpace::mask))
        .toList();
  }

  static double bits(CodeMask mask, long live) {
    return mask.bits() - Math.log((double) Math.max(1, live)) / Math.log(2);
  }

  private static CodeSpace space(CodeMask mask, Map<String, Long> counts) {
    long sum = counts.values().stream().mapToLong(Long::longValue).sum();
    return new CodeSpace(mask.toString(), List.copyOf(counts.keySet()), sum, bits(mask, sum));
  }
}
