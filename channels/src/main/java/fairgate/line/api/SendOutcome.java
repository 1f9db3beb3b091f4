package fairgate.line.api;

/// LINE's response to a reply or push.
public sealed interface SendOutcome {
  /// Delivered, now or by an earlier attempt with the same retry key.
  record Accepted(boolean repeated) implements SendOutcome {}

  /// Refused for good: the reply token was used or has expired, the receiver is unknown, or the
  /// body is invalid.
  record Refused(int status) implements SendOutcome {}

  /// Rate limited.
  ///
  /// @param monthly whether the monthly quota is exhausted, rather than the rate limit
  record Limited(boolean monthly) implements SendOutcome {}

  /// The channel's access token is invalid.
  record Unauthorized() implements SendOutcome {}

  /// No response, or a server error.
  ///
  /// @param mayBeDelivered whether it may have been delivered
  record Unanswered(boolean mayBeDelivered) implements SendOutcome {}
}
