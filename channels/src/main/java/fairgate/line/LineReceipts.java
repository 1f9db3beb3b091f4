package fairgate.line;

import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.sale.receipt.ReceiptChannels;
import fairgate.sale.receipt.ReceiptChannels.Contact;
import fairgate.sale.receipt.ReceiptChannels.Message;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Sends receipts by LINE.
record LineReceipts(LineFeature line) implements ReceiptChannels.Chat {
  private static final long CALL_SECONDS = 5;

  @Override
  public boolean isOn() {
    return line.isOn();
  }

  @Override
  public Set<SessionId> from(List<SessionId> sessions) {
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
  public void send(Contact.Line to, Message message) {
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
