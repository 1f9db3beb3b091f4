package fairgate.sale.payment;

import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import java.util.UUID;

/// Ids of buyers; orders are made by the tests.
final class BuyerIds implements Ids {
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
    return new DeviceId(nonce());
  }

  @Override
  public String nonce() {
    return UUID.randomUUID().toString().replace("-", "").substring(0, 22);
  }
}
