package fairgate.platform.json;

/// Bytes that are not the JSON this server takes. Carries no stack trace: the sender's fault, and
/// thrown on the hot path.
public final class JsonSyntaxException extends RuntimeException {
  /// What is wrong, named as the messages name it.
  public enum Problem {
    MALFORMED("malformed_json"),
    NOT_UTF8("not_utf8"),
    NOT_OBJECT("body_not_object"),
    TOO_DEEP("too_deep"),
    DUPLICATE_FIELD("duplicate_field"),
    NUMBER_TOO_LONG("number_too_long"),
    /// A string holds U+0000 or half of a surrogate pair.
    BAD_TEXT("bad_text");

    private final String key;

    Problem(String key) {
      this.key = key;
    }

    /// The rest of the message key after `invalid.`.
    public String key() {
      return key;
    }
  }

  private final Problem problem;

  JsonSyntaxException(Problem problem) {
    super(problem.key(), null, false, false);
    this.problem = problem;
  }

  public Problem problem() {
    return problem;
  }
}
