package fairgate.line;

import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/// Sequential nonces.
final class LineIds implements Ids {
  private final AtomicInteger count = new AtomicInteger();

  @Override
  public SessionId session() {
    return new SessionId(UUID.randomUUID().toString());
  }

  @Override
  public OrderId order(ProductId product) {
    throw new UnsupportedOperationException();
  }

  @Override
  public DeviceId device() {
    throw new UnsupportedOperationException();
  }

  @Override
  public String nonce() {
    return "nonce-" + count.incrementAndGet();
  }
}
