package fairgate.platform.text;

import java.io.Serial;
import java.util.List;

/// A file cannot be read at all: it is not text, not CSV, or its header lacks a column.
public final class InvalidCsv extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  private final String field;
  private final String problemKey;
  private final transient List<Object> arguments;

  /// @param problemKey the rest of a key in `messages_*.properties` after `invalid.`
  public InvalidCsv(String problemKey, Object... arguments) {
    this(problemKey, List.of(arguments), "");
  }

  private InvalidCsv(String problemKey, List<Object> arguments, String field) {
    super(problemKey);
    this.field = field;
    this.problemKey = problemKey;
    this.arguments = arguments;
  }

  /// A copy that names the option of the import that can solve it.
  public InvalidCsv solvedBy(String option) {
    return new InvalidCsv(problemKey, arguments, option);
  }

  /// The option of the import that can solve it; empty for none.
  public String field() {
    return field;
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
