package fairgate.account.message;

import fairgate.account.message.OutgoingMessage.Purpose;
import fairgate.platform.text.Language;
import java.util.List;

/// A message to be stored.
///
/// @param id unique
/// @param subject a keyed hash; a new message of the subject replaces the one that waits
/// @param to empty for a decoy, which is stored and never sent, so that a caller cannot tell
///   whether there is a recipient
/// @param charges the budgets that counted the message under its id; given back if it is not sent
public record NewMessage(
    String id,
    Channel channel,
    String subject,
    String to,
    Purpose purpose,
    String code,
    Language language,
    List<Charge> charges) {
  public NewMessage {
    charges = List.copyOf(charges);
  }

  /// A call counted by a budget.
  public record Charge(String budget, String who) {}

  @Override
  public String toString() {
    return "NewMessage[id=%s, channel=%s]".formatted(id, channel.wireName());
  }
}
