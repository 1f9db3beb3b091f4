package fairgate.draw.verify;

import java.util.Locale;

/// The cheats that every verifier must catch. The name is the expected code, unless another one is
/// given.
public enum Cheat {
  /// The list lacks an entry whose owner has a receipt.
  DROPPED_ENTRY,
  /// The entries tree has one entry more than the seal.
  ENTRY_AFTER_SEAL,
  /// A head that was shown while the draw was open is of another list.
  FORKED_LIST,
  /// The witnesses saw the seal after the beacon.
  LATE_SEAL,
  /// The round after the named one decided.
  WRONG_ROUND,
  /// The signature is that of another round.
  FORGED_BEACON,
  /// The published order has two entries exchanged, under a root of its own.
  SWAPPED_LOTS,
  /// An entry is passed over as excluded, without a leaf.
  HIDDEN_EXCLUSION,
  /// One unit is kept back although entries are left.
  STOCK_SHORT,
  /// A rank is left out.
  SKIPPED_RANK,
  /// The rules were changed after their publication.
  EDITED_RULES,
  /// The result names another root.
  WRONG_RESULT_ROOT,
  /// The round is past, and nothing that it decides is published.
  WITHHELD,
  /// An entry has an exclude and a withdraw leaf.
  WITHDRAWN_AND_EXCLUDED("invalid_exclusion"),
  /// The second beacon decided, and no round of the first one was given up.
  EARLY_SECOND_BEACON("wrong_round");

  private final String code;

  Cheat() {
    this.code = name().toLowerCase(Locale.ROOT);
  }

  Cheat(String code) {
    this.code = code;
  }

  /// The code that a verifier reports.
  public String code() {
    return code;
  }
}
