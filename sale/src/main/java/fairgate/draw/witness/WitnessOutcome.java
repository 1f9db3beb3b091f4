package fairgate.draw.witness;

/// The answer to a new checkpoint.
public sealed interface WitnessOutcome {
  /// The checkpoint was recorded and cosigned.
  ///
  /// @param line the signature line
  record Cosigned(String line) implements WitnessOutcome {}

  /// The request is malformed, or its checkpoint is smaller than its old size.
  record Malformed() implements WitnessOutcome {}

  /// The witness does not watch this log.
  record UnknownLog() implements WitnessOutcome {}

  /// The checkpoint is not signed by its log.
  record Unsigned() implements WitnessOutcome {}

  /// The old size is not the recorded one, or the same size has another root.
  ///
  /// @param size the recorded size
  record Conflict(long size) implements WitnessOutcome {}

  /// The proof does not show that the log only grew.
  record Inconsistent() implements WitnessOutcome {}
}
