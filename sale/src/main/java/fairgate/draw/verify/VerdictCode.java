package fairgate.draw.verify;

import fairgate.kernel.Word;
import java.util.EnumSet;

/// The result of a check, in the words of docs/api/draw-format.md.
public enum VerdictCode implements Word {
  OK,
  MALFORMED_BUNDLE,
  MALFORMED_RULES,
  MALFORMED_CHAIN,
  MALFORMED_NOTE,
  MALFORMED_PROOF,
  MALFORMED_LOG,
  MALFORMED_LEAF,
  MALFORMED_RESULT,
  MALFORMED_ALLOTMENTS,
  MISSING_FILE,
  UNREACHABLE,
  UNUSABLE_RECEIPT,
  RECEIPT_OF_ANOTHER_DRAW,
  NOT_MINE,
  TICKET_NOT_IN_DRAW,
  NOT_ANNOUNCED,
  WRONG_LOG_KEY,
  UNKNOWN_BEACON,
  BAD_SIGNATURE,
  BAD_PROOF,
  FORKED_LOG,
  EDITED_RULES,
  NO_QUORUM,
  LATE_RULES,
  SECOND_SEAL,
  WRONG_ROUND,
  LATE_SEAL,
  ENTRY_AFTER_SEAL,
  FORKED_LIST,
  INVALID_ENTRY,
  DROPPED_ENTRY,
  INVALID_EXCLUSION,
  LATE_EXCLUSION,
  HIDDEN_EXCLUSION,
  DUPLICATE_PERSON,
  SECOND_BEACON,
  WRONG_BEACON,
  FORGED_BEACON,
  SWAPPED_LOTS,
  NOT_IN_USE,
  WITHHELD,
  LATE_ABORT,
  SECOND_RESULT,
  WRONG_RESULT_ROOT,
  SECOND_REPORT,
  WRONG_REPORT,
  SKIPPED_RANK,
  EXCLUDED_OFFERED,
  STOCK_SHORT,
  OVERSOLD;

  /// Whether the input could not be read, is no evidence, is of another draw or person, or of a
  /// room without a draw. Such a code does not accuse the draw.
  public boolean isUnreadable() {
    return EnumSet.range(MALFORMED_BUNDLE, NOT_ANNOUNCED).contains(this);
  }
}
