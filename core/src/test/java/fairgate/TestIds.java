package fairgate;

import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import java.util.UUID;

/// Random ids for tests.
public final class TestIds implements Ids {
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
    return new DeviceId(nonce());
  }

  @Override
  public String nonce() {
    return hex(22);
  }

  private static String hex(int length) {
    return UUID.randomUUID().toString().replace("-", "").substring(0, length);
  }
}
