package fairgate.redeem.transfer;

import java.io.Serial;
import java.util.List;

/// A file cannot be imported at all: it is not text, not CSV, or its header lacks a column.
final class InvalidImportFile extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  private final String problemKey;
  private final transient List<Object> arguments;

  /// @param problemKey the rest of a key in `messages_*.properties` after `invalid.`
  InvalidImportFile(String problemKey, Object... arguments) {
    super(problemKey);
    this.problemKey = problemKey;
    this.arguments = List.of(arguments);
  }

  ImportService.ImportOutcome.Refused outcome() {
    return new ImportService.ImportOutcome.Refused(problemKey, arguments);
  }
}
