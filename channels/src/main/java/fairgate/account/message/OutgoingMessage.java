package fairgate.account.message;

import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import java.time.Instant;
import java.util.Locale;

/// A message to a person. It never prints its recipient or its content.
///
/// @param id the same in every try, so that a gateway recognizes a repeat
/// @param to a telephone number in E.164, or an e-mail address
/// @param sentAt when it was written
/// @param expiresAt when it is no longer worth sending
public record OutgoingMessage(
    String id,
    Channel channel,
    String to,
    Content content,
    Language language,
    Instant sentAt,
    Instant expiresAt) {

  /// What a message says.
  public sealed interface Content {
    record Code(Purpose purpose, String code) implements Content {
      @Override
      public String toString() {
        return "Code[purpose=%s]".formatted(purpose);
      }
    }

    record Text(String subject, String text) implements Content {
      @Override
      public String toString() {
        return "Text[]";
      }
    }
  }

  public enum Purpose {
    /// Proves that a telephone or e-mail address belongs to an account.
    VERIFICATION,
    /// Permits a new password.
    PASSWORD_RESET,
    /// Lets a browser join a sale that asked for it.
    JOIN;

    /// The name in webhooks.
    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// The text in the recipient's language. A code with its text in English fits into one SMS of 160
  /// characters, in Chinese into one of 70.
  public String text() {
    return switch (content) {
      case Content.Code(Purpose purpose, String code) ->
          Messages.text(language, "message." + purpose.wireName(), code);
      case Content.Text(_, String text) -> text;
    };
  }

  /// The subject of an e-mail. It does not contain a code, because lists of messages show it.
  public String subject() {
    return switch (content) {
      case Content.Code(Purpose purpose, _) ->
          Messages.text(language, "message." + purpose.wireName() + "_subject");
      case Content.Text(String subject, _) -> subject;
    };
  }

  @Override
  public String toString() {
    return "OutgoingMessage[id=%s, channel=%s]".formatted(id, channel.wireName());
  }
}
