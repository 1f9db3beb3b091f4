package fairgate.account.message;

import java.util.Set;

/// The settings of messages.
public record MessageConfig(SenderConfig sms, SenderConfig email, Limits limits) {
  /// The limits of messages.
  ///
  /// @param perHour maximum number of messages per hour, of all nodes together
  /// @param countries those whose telephones get codes, by ISO 3166 such as `TW`; empty = all
  public record Limits(int perHour, Set<String> countries) {
    public Limits {
      countries = Set.copyOf(countries);
    }
  }

  SenderConfig of(Channel channel) {
    return switch (channel) {
      case SMS -> sms;
      case EMAIL -> email;
    };
  }
}
