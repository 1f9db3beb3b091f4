package fairgate.sale.receipt;

import fairgate.kernel.SessionId;
import fairgate.platform.postgres.Db;
import fairgate.platform.text.Language;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The ways to reach buyers. Calls block.
public interface ReceiptChannels {
  sealed interface Contact {
    Language language();

    record Email(String address, Language language) implements Contact {
      @Override
      public String toString() {
        return "Email[]";
      }
    }

    record Line(String user, Language language) implements Contact {
      @Override
      public String toString() {
        return "Line[]";
      }
    }
  }

  record Message(String id, String subject, String text) {}

  /// A change that is committed together with the message.
  @FunctionalInterface
  interface Claim {
    /// Returns false if the message must not be stored, because it was before.
    boolean in(Db db);
  }

  /// A bot that reaches the buyers who came through its links. Calls block.
  interface Chat {
    boolean isOn();

    /// The sessions among these that came through its links.
    Set<SessionId> from(List<SessionId> sessions);

    /// Its user who came to this session; empty while it cannot send.
    Optional<Contact.Line> ofSession(SessionId session);

    /// Stores a message, once per id. Afterwards it survives a crash.
    void send(Contact.Line to, Message message);
  }

  boolean canMail();

  /// The bot of LINE, if there is one.
  Optional<Chat> chat();

  Optional<Contact.Email> ofAccount(String account);

  /// The address of a link of [OrderLinks].
  String link(String link);

  /// Stores an e-mail in the transaction of its claim. False if too many messages wait.
  boolean mail(Contact.Email to, Message message, Claim claim);
}
