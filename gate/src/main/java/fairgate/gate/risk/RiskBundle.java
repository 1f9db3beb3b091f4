package fairgate.gate.risk;

import fairgate.kernel.Word;
import fairgate.platform.text.Language;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
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
    Map<Band, BandRule> bands,
    List<Rule> rules,
    @Nullable TreeModel model) {
  public RiskBundle {
    bands = Collections.unmodifiableMap(new EnumMap<>(bands));
    rules = List.copyOf(rules);
  }

  public record BandRule(int from, RiskAction action) {}

  /// Reads a document without compiling its rules; empty when it has errors.
  public static Optional<RiskBundle> read(String json) {
    return Optional.ofNullable(new BundleParser(json, false).parse());
  }

  /// Whether any rule counts; shadow rules do not.
  public boolean hasRules() {
    return rules.stream().anyMatch(Rule::counts);
  }

  public Band bandOf(int score) {
    Band found = Band.LOW;
    for (Map.Entry<Band, BandRule> band : bands.entrySet()) {
      if (score >= band.getValue().from()) {
        found = band.getKey();
      }
    }
    return found;
  }

  public RiskAction actionOf(Band band) {
    return Objects.requireNonNull(bands.get(band)).action();
  }

  /// One error of a bundle, at a place in its JSON text.
  ///
  /// @param line from 1
  /// @param column from 1, in characters
  /// @param rule the code of the rule; null outside of rules
  /// @param message for the operator, in English
  public record Problem(int line, int column, @Nullable String rule, String message) {
    @Override
    public String toString() {
      return line + ":" + column + ": " + (rule == null ? "" : rule + ": ") + message;
    }
  }

  /// The bundles in force on this node. Implemented by policies; [BuiltInBundle] until one is
  /// activated. Called on every judged request, so it reads memory only. Thread-safe.
  public interface Source {
    /// The bundle that decides for this subject. A subject keeps its bundle while a canary runs.
    ///
    /// @param subject the keyed hash of the person or device, as in the decision log; asked for
    ///   only while a canary runs
    CompiledBundle bundleFor(Supplier<String> subject);

    /// Called with each decision, on the thread that made it. Must not block.
    default void decided(RiskDecision decision) {}

    /// Bundles that are assessed and recorded without effect; usually none.
    default List<CompiledBundle> shadows() {
      return List.of();
    }
  }

  /// A range of scores, from the lowest risk to the highest. A bundle states where each begins and
  /// what happens in it.
  public enum Band implements Word {
    LOW,
    MEDIUM,
    HIGH,
    SEVERE,
    CRITICAL;

    public static Optional<Band> named(String word) {
      return Arrays.stream(values()).filter(band -> band.word().equals(word)).findFirst();
    }
  }

  /// One rule of a bundle.
  ///
  /// @param code the name in the decision log; 3 to 64 lower-case letters, digits and `_`
  /// @param when a condition in CEL over the features
  /// @param points added to the score when the condition is true; -100 to 100
  /// @param band the band of the decision whatever the score, when the condition is true; null for
  ///   none. The highest of all matching rules counts, but never lowers the band of the score
  /// @param shadow whether the rule is only recorded, without effect
  /// @param reason what a buyer is told
  /// @param texts the rule in words in every language, for the page of the sale and for operators
  /// @param remedies what may help against it, the cheapest first; see [Remedies]
  public record Rule(
      String code,
      String when,
      int points,
      @Nullable Band band,
      boolean shadow,
      PublicReason reason,
      Map<Language, String> texts,
      List<Remedy> remedies) {
    public Rule {
      texts = Map.copyOf(texts);
      remedies = List.copyOf(remedies);
    }

    /// Whether the rule can change a decision: it gives points or a band above the lowest one.
    boolean counts() {
      return !shadow && (points != 0 || (band != null && band != Band.LOW));
    }
  }
}
