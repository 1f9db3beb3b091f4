package fairgate.account.message;

/// The settings of messages.
///
/// @param perHour maximum number of messages per hour, of all nodes together
public record MessageConfig(SenderConfig sms, SenderConfig email, int perHour) {
  SenderConfig of(Channel channel) {
    return switch (channel) {
      case SMS -> sms;
      case EMAIL -> email;
    };
  }
}
