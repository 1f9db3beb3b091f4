package fairgate.kernel;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/// An event for the audit log.
///
/// @param what the result: the name of an outcome or a rule, an error code, or a method and path
/// @param facts further members: texts, numbers and booleans; never secrets or personal data
public record AuditEvent(Kind kind, String what, Caller caller, Map<String, Object> facts) {
  /// The kinds of events; each has its own retention time.
  public enum Kind implements Word {
    /// A session joined a queue.
    JOIN,
    /// A number of sessions of a sale were admitted.
    ADMISSION,
    /// A buyer may purchase.
    TURN,
    /// A purchase token was issued.
    TOKEN,
    PURCHASE,
    /// A request was refused; sampled when there are many.
    REFUSAL,
    /// A redemption code was claimed or shown.
    CLAIM,
    /// The server banned a subject.
    BAN,
    /// An operator's action.
    ADMIN,
    /// A number of events were lost.
    LOSS;

    /// Whether events of a batch share rows of the log.
    public boolean sharesRows() {
      return isTraffic() || this == PURCHASE;
    }

    /// Whether visitors make these events in any number. They are kept for a shorter time.
    public boolean isTraffic() {
      return switch (this) {
        case JOIN, ADMISSION, TURN, TOKEN, REFUSAL -> true;
        case PURCHASE, CLAIM, BAN, ADMIN, LOSS -> false;
      };
    }

    public static Optional<Kind> named(String word) {
      return Arrays.stream(values()).filter(kind -> kind.word().equals(word)).findFirst();
    }
  }

  public static AuditEvent of(Kind kind, String what, Caller caller) {
    return new AuditEvent(kind, what, caller, Map.of());
  }
}
