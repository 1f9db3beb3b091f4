package fairgate.app.pages;

import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import java.util.UUID;

/// Simple ids for page tests, which need no device ids.
final class FakeIds implements Ids {
  @Override
  public SessionId session() {
    return new SessionId(UUID.randomUUID().toString());
  }

  @Override
  public OrderId order(ProductId product) {
    return OrderId.of(product, hex(26));
  }

  @Override
  public DeviceId device() {
    throw new UnsupportedOperationException();
  }

  @Override
  public String nonce() {
    return hex(22);
  }

  private static String hex(int length) {
    return UUID.randomUUID().toString().replace("-", "").substring(0, length);
  }
}
