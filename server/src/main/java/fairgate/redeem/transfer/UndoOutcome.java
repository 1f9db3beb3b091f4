package fairgate.redeem.transfer;

/// What undoing an import came to.
public sealed interface UndoOutcome {
  /// It is undone.
  ///
  /// @param putBack orders that are as they were before
  /// @param removed orders it had added
  /// @param kept orders it had added that stay, for they were redeemed
  /// @param codes what became of codes that were given out; `inUse` is not told
  record Undone(ImportJob job, long putBack, long removed, long kept, ImportJob.Codes codes)
      implements UndoOutcome {}

  /// There is no such import.
  record Unknown() implements UndoOutcome {}

  /// It is under way: it has to end first.
  record Running() implements UndoOutcome {}

  /// It was a dry run, which has changed nothing.
  record OnlyLooked() implements UndoOutcome {}
}
