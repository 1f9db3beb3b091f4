package fairgate.account.message;

import java.time.Duration;

/// The outside service that delivers messages. A call blocks, ends within [#MAX_DURATION], and does
/// not throw for a failure of the service or the network. Safe for use by any thread.
public interface MessageSender extends AutoCloseable {
  /// The longest time that a call may take.
  Duration MAX_DURATION = Duration.ofSeconds(20);

  /// Sends a message. A repeat has the same id.
  Result send(OutgoingMessage message);

  @Override
  default void close() {}

  /// The result of one try. Reasons name neither the recipient nor the code.
  sealed interface Result {
    /// The service has accepted the message. Whether it arrives is not known.
    record Sent() implements Result {}

    /// The service has certainly not accepted the message now, and may later.
    ///
    /// @param retryAfter the pause that the service asks for; zero for none
    record NotSent(String reason, Duration retryAfter) implements Result {}

    /// It is unknown whether the service has accepted the message.
    record Unknown(String reason) implements Result {}

    /// The service will never accept this message, for example because there is no such mailbox.
    record Refused(String reason) implements Result {}
  }
}
