package fairgate.draw.verify;

import fairgate.draw.lots.FairnessTests;
import fairgate.draw.tlog.Hash;
import fairgate.kernel.Word;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// The verdict on a draw, with the evidence for it.
///
/// @param detail the file, leaf or number at which the first failed check stopped; may be empty
/// @param draw empty if the files do not tell
/// @param size entries of the sealed list; empty before the seal
/// @param findings the checks that passed, in order
/// @param mine one for each receipt; before the seal, only those whose entry takes no part
public record Verdict(
    VerdictCode code,
    String detail,
    Stage stage,
    String draw,
    Optional<Long> size,
    Optional<Hash> seed,
    Optional<Hash> resultRoot,
    List<Finding> findings,
    List<Mine> mine,
    Optional<FairnessTests> fairness) {
  /// The words for programs of the findings that a reader should notice although the check passed.
  private static final Map<String, String> WARNINGS =
      Map.of(
          "rules_unwitnessed", "no_witness",
          "sealed_unwitnessed", "no_witness",
          "fallback", "fallback",
          "second_beacon", "second",
          "light", "light",
          "earlier_draw", "earlier_draw",
          "unsealed", "unsealed");

  public enum Stage implements Word {
    ANNOUNCED,
    SEALED,
    DRAWN,
    ENDED,
    ABORTED
  }

  /// A check that passed.
  ///
  /// @param key names the sentence that says it
  /// @param values fill the sentence
  public record Finding(String key, List<String> values) {
    /// Whether a reader should notice it.
    public boolean isWarning() {
      return WARNINGS.containsKey(key);
    }
  }

  /// The entry of a receipt.
  ///
  /// @param lot empty before the beacon
  /// @param rank from 0; empty if only the light check was made
  /// @param absence why the entry takes no part; empty if it does, or if only the light check was
  ///   made
  public record Mine(
      long index, Hash leaf, Optional<Hash> lot, Optional<Long> rank, Optional<Absence> absence) {}

  /// The warnings in the words of docs/api/draw-format.md, each once.
  public List<String> warnings() {
    return findings.stream()
        .map(finding -> WARNINGS.get(finding.key()))
        .filter(Objects::nonNull)
        .distinct()
        .toList();
  }

  public boolean isOk() {
    return code == VerdictCode.OK;
  }

  static final class Builder {
    private final List<Finding> findings = new ArrayList<>();
    private final List<Mine> mine = new ArrayList<>();
    private Stage stage = Stage.ANNOUNCED;
    private String draw = "";
    private Optional<Long> size = Optional.empty();
    private Optional<Hash> seed = Optional.empty();
    private Optional<Hash> resultRoot = Optional.empty();
    private Optional<FairnessTests> fairness = Optional.empty();

    void draw(String id) {
      this.draw = id;
    }

    void size(long entries) {
      this.size = Optional.of(entries);
    }

    void stage(Stage reached) {
      this.stage = reached;
    }

    void seed(Hash hash) {
      this.seed = Optional.of(hash);
    }

    void resultRoot(Hash root) {
      this.resultRoot = Optional.of(root);
    }

    void fairness(Optional<FairnessTests> tests) {
      this.fairness = tests;
    }

    void mine(Mine entry) {
      mine.add(entry);
    }

    void found(String key, Object... values) {
      List<String> texts = new ArrayList<>();
      for (Object value : values) {
        texts.add(value instanceof Long number ? format(number) : value.toString());
      }
      findings.add(new Finding(key, List.copyOf(texts)));
    }

    private static String format(long number) {
      return String.format(Locale.ROOT, "%,d", number);
    }

    Verdict build(VerdictCode code, String detail) {
      return new Verdict(
          code,
          detail,
          stage,
          draw,
          size,
          seed,
          resultRoot,
          List.copyOf(findings),
          List.copyOf(mine),
          fairness);
    }
  }
}
