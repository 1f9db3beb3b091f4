package fairgate.sale.receipt;

import fairgate.kernel.SessionId;
import fairgate.platform.postgres.Db;
import fairgate.platform.text.Language;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The ways to reach buyers. Calls block.
public interface ReceiptChannels {
  /// Where a receipt goes.
  sealed interface Contact {
    /// The language of the receipt.
    Language language();

    /// An e-mail address.
    record Email(String address, Language language) implements Contact {
      @Override
      public String toString() {
        return "Email[]";
      }
    }

    /// A LINE user.
    record Line(String user, Language language) implements Contact {
      @Override
      public String toString() {
        return "Line[]";
      }
    }
  }

  /// A finished message.
  record Message(String id, String subject, String text) {}

  /// A change that is committed together with the message.
  @FunctionalInterface
  interface Claim {
    /// Returns false if the message must not be stored, because it was before.
    boolean in(Db db);
  }

  /// Whether e-mail can be sent.
  boolean canMail();

  /// Whether LINE messages can be sent.
  boolean canLine();

  /// The sessions among these that came through a link of the bot.
  Set<SessionId> fromLine(List<SessionId> sessions);

  /// The LINE user who came to this session through a link of the bot.
  Optional<Contact.Line> ofSession(SessionId session);

  /// The verified e-mail address of an account.
  Optional<Contact.Email> ofAccount(String account);

  /// The address of a link of [OrderLinks].
  String link(String link);

  /// Stores an e-mail in the transaction of its claim. False if too many messages wait.
  boolean mail(Contact.Email to, Message message, Claim claim);

  /// Stores a LINE message, once per id. Afterwards it survives a crash.
  void line(Contact.Line to, Message message);
}
