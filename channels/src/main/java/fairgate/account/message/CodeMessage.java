package fairgate.account.message;

import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import java.time.Instant;
import java.util.Locale;

/// A message with a one-time code. It never prints its recipient or its code.
///
/// @param id the same in every try, so that a gateway recognizes a repeat
/// @param to a telephone number in E.164, or an e-mail address
/// @param expiresAt when the code is no longer valid
public record CodeMessage(
    String id,
    Channel channel,
    String to,
    Purpose purpose,
    String code,
    Language language,
    Instant expiresAt) {

  /// What the code is for.
  public enum Purpose {
    /// Proves that a telephone or e-mail address belongs to an account.
    VERIFICATION,
    /// Permits a new password.
    PASSWORD_RESET;

    /// The name in webhooks.
    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// The text in the recipient's language. In English it fits into one SMS of 160 characters, in
  /// Chinese into one of 70.
  public String text() {
    return switch (purpose) {
      case VERIFICATION -> Messages.text(language, "message.verification", code);
      case PASSWORD_RESET -> Messages.text(language, "message.password_reset", code);
    };
  }

  /// The subject of an e-mail. It does not contain the code, because lists of messages show it.
  public String subject() {
    return switch (purpose) {
      case VERIFICATION -> Messages.text(language, "message.verification_subject");
      case PASSWORD_RESET -> Messages.text(language, "message.password_reset_subject");
    };
  }

  @Override
  public String toString() {
    return "CodeMessage[id=%s, channel=%s]".formatted(id, channel.wireName());
  }
}
