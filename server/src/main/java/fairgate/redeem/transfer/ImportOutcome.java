package fairgate.redeem.transfer;

import java.util.List;

/// What handing in a file came to.
public sealed interface ImportOutcome {
  /// It is being imported, from the beginning or from where an earlier try stopped.
  record Started(ImportJob job) implements ImportOutcome {}

  /// This node or another one is importing the same file with the same options right now.
  record Running(ImportJob job) implements ImportOutcome {}

  /// The same file was imported with the same options before, without a row refused.
  record Repeated(ImportJob job) implements ImportOutcome {}

  /// Nothing can be read out of the file.
  ///
  /// @param problemKey of the message `invalid.<problemKey>`
  /// @param arguments of the message, from `{1}` on
  record Refused(String problemKey, List<Object> arguments) implements ImportOutcome {}

  /// This node imports as many files as it can.
  record Busy() implements ImportOutcome {}
}
