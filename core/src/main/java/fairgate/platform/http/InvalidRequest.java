package fairgate.platform.http;

import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import java.util.LinkedHashMap;
import java.util.Map;

/// A malformed request: answered with 400 `INVALID_REQUEST` and a message in the caller's language
/// that names the field and the requirement.
///
/// The message is `invalid.<problemKey>`; its placeholder `{0}` is the field, and `{1}`, `{2}`, ...
/// are the arguments. The exception has no stack trace: it is the caller's error and must be cheap.
public final class InvalidRequest extends RuntimeException {
  private final String field;
  private final String problemKey;
  private final transient Object[] args;
  private final transient Map<String, Object> details = new LinkedHashMap<>();

  /// @param field the name of the field as sent, with dots inside objects; empty for the whole
  ///   request
  /// @param problemKey the rest of a key of a message after `invalid.`
  public InvalidRequest(String field, String problemKey, Object... args) {
    super(field + ": " + problemKey, null, false, false);
    boolean isOneValue =
        problemKey.equals("out_of_range") && args.length == 2 && args[0].equals(args[1]);
    this.field = field;
    this.problemKey = isOneValue ? "not_the_value" : problemKey;
    this.args = args.clone();
  }

  /// Adds a member to the error body; values as in `Refusal`.
  public InvalidRequest with(String name, Object value) {
    details.put(name, value);
    return this;
  }

  /// The additional members of the error body.
  Map<String, Object> details() {
    return details;
  }

  public String field() {
    return field;
  }

  public String problemKey() {
    return problemKey;
  }

  /// The message, for replies that list several problems.
  public String text(Language language) {
    return Messages.text(language, "invalid." + problemKey, messageArguments());
  }

  /// The arguments of the message: the field, then the others.
  Object[] messageArguments() {
    Object[] all = new Object[args.length + 1];
    all[0] = field;
    System.arraycopy(args, 0, all, 1, args.length);
    return all;
  }
}
