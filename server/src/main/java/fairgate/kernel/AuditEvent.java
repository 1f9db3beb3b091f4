package fairgate.kernel;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// One thing worth remembering.
///
/// @param what came of it: an outcome's or a rule's word, an error code, a method and path
/// @param facts further members: texts, numbers, flags; never secrets, never personal data
public record AuditEvent(Kind kind, String what, Caller caller, Map<String, Object> facts) {
  /// What kinds of things are remembered; each is kept for a time of its own.
  public enum Kind {
    /// A place in a queue was given.
    JOIN,
    /// The queue moved: how many were let in, by which sale.
    ADMISSION,
    /// A buyer's turn came.
    TURN,
    /// A purchase token was issued.
    TOKEN,
    PURCHASE,
    /// A caller was refused something; sampled when there are many.
    REFUSAL,
    /// A redemption code was claimed or shown.
    CLAIM,
    /// Somebody was banned by the server itself.
    BAN,
    /// An operator did something.
    ADMIN,
    /// Events were lost here, so many.
    LOSS;

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Kind> named(String word) {
      return Arrays.stream(values()).filter(kind -> kind.word().equals(word)).findFirst();
    }
  }

  public static AuditEvent of(Kind kind, String what, Caller caller) {
    return new AuditEvent(kind, what, caller, Map.of());
  }
}
