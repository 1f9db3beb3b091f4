package fairgate.app.receipt;

import fairgate.account.identity.IdentityFeature;
import fairgate.account.message.Channel;
import fairgate.account.message.MessageOutbox.Letter;
import fairgate.sale.receipt.ReceiptChannels;
import java.util.Optional;

/// Sends receipts by e-mail and LINE.
///
/// @param shopUrl the shop's address as buyers see it
public record BuyerChannels(Optional<IdentityFeature> identity, Optional<Chat> chat, String shopUrl)
    implements ReceiptChannels {
  @Override
  public boolean canMail() {
    return identity.filter(it -> it.messages().channels().contains(Channel.EMAIL)).isPresent();
  }

  @Override
  public Optional<Contact.Email> ofAccount(String account) {
    return identity
        .filter(_ -> canMail())
        .flatMap(it -> it.service().mailboxOf(account))
        .map(mailbox -> new Contact.Email(mailbox.address(), mailbox.language()));
  }

  @Override
  public String link(String link) {
    return shopUrl + "/r/" + link;
  }

  @Override
  public boolean mail(Contact.Email to, Message message, Claim claim) {
    return identity
        .orElseThrow()
        .messages()
        .outbox()
        .accept(
            new Letter(
                message.id(), to.address(), to.language(), message.subject(), message.text()),
            claim::in);
  }
}
