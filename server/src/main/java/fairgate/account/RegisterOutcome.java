package fairgate.account;

/// What asking for an account came to.
public sealed interface RegisterOutcome {
  /// There is one now.
  record Registered(Account account) implements RegisterOutcome {}

  /// Somebody has this name, or one that reads the same.
  record NameTaken() implements RegisterOutcome {}

  /// The name is none, or one that nobody may have.
  ///
  /// @param problem the rest of a message key after `invalid.`
  record NameRefused(String problem) implements RegisterOutcome {}

  /// The password is not to be had.
  ///
  /// @param problem the rest of a message key after `invalid.`
  record PasswordRefused(String problem) implements RegisterOutcome {}
}
