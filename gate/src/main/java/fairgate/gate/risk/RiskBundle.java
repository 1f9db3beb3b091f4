package fairgate.gate.risk;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// All rules, thresholds and actions of risk: the immutable, parsed form of one JSON document. Its
/// identity is [#hash], the SHA-256 of the document's bytes. [BundleParser] reads it.
///
/// @param hash 64 hexadecimal digits
/// @param json the document as published
/// @param schema the version of the features that its rules read
/// @param name a short name for people
/// @param bands every band with its first score and its action; the first score of LOW is
///   Integer.MIN_VALUE
/// @param rules in the order of the document
/// @param model an optional model whose points are one more reason
public record RiskBundle(
    String hash,
    String json,
    int schema,
    String name,
    Map<RiskBand, BandRule> bands,
    List<RiskRule> rules,
    @Nullable TreeModel model) {
  public RiskBundle {
    bands = Collections.unmodifiableMap(new EnumMap<>(bands));
    rules = List.copyOf(rules);
  }

  /// Where a band begins and what happens in it.
  public record BandRule(int from, RiskAction action) {}

  /// Reads a document without compiling its rules; empty when it has errors.
  public static Optional<RiskBundle> read(String json) {
    return Optional.ofNullable(new BundleParser(json, false).parse());
  }

  /// Whether any rule counts; shadow rules do not.
  public boolean hasRules() {
    return rules.stream().anyMatch(RiskRule::counts);
  }

  /// The band of a score.
  public RiskBand bandOf(int score) {
    RiskBand found = RiskBand.LOW;
    for (Map.Entry<RiskBand, BandRule> band : bands.entrySet()) {
      if (score >= band.getValue().from()) {
        found = band.getKey();
      }
    }
    return found;
  }

  /// The action of a band.
  public RiskAction actionOf(RiskBand band) {
    return Objects.requireNonNull(bands.get(band)).action();
  }
}
