package fairgate.platform.http;

import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;

/// The request does not say what it must: answered 400 `INVALID_REQUEST`, with a sentence in the
/// caller's language that names the field and what is expected of it.
///
/// The sentence is the message `invalid.<problemKey>`; in it `{0}` is the field and `{1}`, `{2}`,
/// ... are the arguments. Carries no stack trace, for it is the caller's fault and costs next to
/// nothing.
public final class InvalidRequest extends RuntimeException {
  private final String field;
  private final String problemKey;
  private final transient Object[] args;

  /// @param field the field's name as the caller wrote it, with dots inside objects; empty when the
  ///   whole request is meant
  /// @param problemKey the rest of a key in `messages_*.properties` after `invalid.`
  public InvalidRequest(String field, String problemKey, Object... args) {
    super(field + ": " + problemKey, null, false, false);
    this.field = field;
    this.problemKey = problemKey;
    this.args = args.clone();
  }

  public String field() {
    return field;
  }

  public String problemKey() {
    return problemKey;
  }

  /// The sentence, for answers that tell of several problems.
  public String text(Language language) {
    return Messages.text(language, "invalid." + problemKey, messageArguments());
  }

  /// What fills the message: the field, then the arguments.
  Object[] messageArguments() {
    Object[] all = new Object[args.length + 1];
    all[0] = field;
    System.arraycopy(args, 0, all, 1, args.length);
    return all;
  }
}
