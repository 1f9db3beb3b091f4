package fairgate.line.api;

/// What LINE made of a reply or a push.
public sealed interface Sent {
  /// It is delivered, now or by an earlier try with the same retry key.
  record Accepted(boolean before) implements Sent {}

  /// LINE will never take it: the reply token was used or is too old, the receiver is unknown, or
  /// the body is wrong.
  record Refused(int status) implements Sent {}

  /// Not now.
  ///
  /// @param monthly whether the month's messages are used up, rather than the moment's
  record Limited(boolean monthly) implements Sent {}

  /// The channel's access token is not accepted.
  record Unauthorized() implements Sent {}

  /// No answer, or one that says nothing.
  ///
  /// @param doubt whether it may have been delivered all the same
  record Unanswered(boolean doubt) implements Sent {}
}
