package fairgate.platform.text;

import java.io.Serial;
import java.util.List;

/// A file cannot be read at all: it is not text, not CSV, or its header lacks a column.
public final class InvalidCsv extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  private final String problemKey;
  private final transient List<Object> arguments;

  /// @param problemKey the rest of a key in `messages_*.properties` after `invalid.`
  public InvalidCsv(String problemKey, Object... arguments) {
    super(problemKey);
    this.problemKey = problemKey;
    this.arguments = List.of(arguments);
  }

  /// Of the message `invalid.<problemKey>`.
  public String problemKey() {
    return problemKey;
  }

  /// Of the message, from `{1}` on.
  public List<Object> arguments() {
    return arguments;
  }
}
