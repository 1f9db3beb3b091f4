package fairgate.platform.json;

/// Invalid JSON input. Has no stack trace: it is the sender's error, and it is thrown on the hot
/// path.
public final class JsonSyntaxException extends RuntimeException {
  /// The kind of error, named like its message.
  public enum Problem {
    MALFORMED("malformed_json"),
    NOT_UTF8("not_utf8"),
    NOT_OBJECT("body_not_object"),
    TOO_DEEP("too_deep"),
    DUPLICATE_FIELD("duplicate_field"),
    NUMBER_TOO_LONG("number_too_long"),
    /// A string contains U+0000 or an unpaired surrogate.
    BAD_TEXT("bad_text");

    private final String key;

    Problem(String key) {
      this.key = key;
    }

    /// The message key without the prefix `invalid.`.
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
