package fairgate.app.receipt;

import fairgate.account.identity.IdentityFeature;
import fairgate.account.message.Channel;
import fairgate.account.message.MessageOutbox.Letter;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.line.LineFeature;
import fairgate.sale.receipt.ReceiptChannels;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Sends receipts by e-mail and LINE.
///
/// @param shopUrl the shop's address as buyers see it
public record BuyerChannels(Optional<IdentityFeature> identity, LineFeature line, String shopUrl)
    implements ReceiptChannels {
  private static final long CALL_SECONDS = 5;

  @Override
  public boolean canMail() {
    return identity.filter(it -> it.messages().channels().contains(Channel.EMAIL)).isPresent();
  }

  @Override
  public boolean canLine() {
    return line.isOn();
  }

  @Override
  public Set<SessionId> fromLine(List<SessionId> sessions) {
    return await(line.usersOf(sessions)).keySet();
  }

  @Override
  public Optional<Contact.Line> ofSession(SessionId session) {
    return line.isOn()
        ? Optional.ofNullable(await(line.usersOf(List.of(session))).get(session))
            .map(user -> new Contact.Line(user, line.languageOf(user)))
        : Optional.empty();
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

  @Override
  public void line(Contact.Line to, Message message) {
    var _ = await(line.send(message.id(), to.user(), message.text()));
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(CALL_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("Redis is too slow", Duration.ofSeconds(1));
    }
  }
}
