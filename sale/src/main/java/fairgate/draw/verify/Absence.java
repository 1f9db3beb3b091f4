package fairgate.draw.verify;

import fairgate.draw.leaf.HouseLeaf.EntryRef;
import fairgate.draw.leaf.HouseLeaf.Exclude;
import fairgate.draw.leaf.HouseLeaf.Withdraw;
import fairgate.kernel.Word;
import java.util.List;
import java.util.stream.Stream;

/// Why an entry takes no part.
///
/// @param reason the word of its leaf, such as `duplicate`
public record Absence(Kind kind, String reason) {
  /// Withdrawn by the buyer, or excluded by the operator.
  public enum Kind implements Word {
    WITHDRAWN,
    EXCLUDED
  }

  record Of(EntryRef entry, Absence absence) {}

  static List<Of> all(HouseLog log) {
    Stream<Of> excluded =
        log.all(Exclude.class).stream()
            .map(it -> new Of(it.leaf().entry(), new Absence(Kind.EXCLUDED, it.leaf().reason())));
    Stream<Of> withdrawn =
        log.all(Withdraw.class).stream()
            .map(it -> new Of(it.leaf().entry(), new Absence(Kind.WITHDRAWN, it.leaf().reason())));
    return Stream.concat(excluded, withdrawn).toList();
  }
}
