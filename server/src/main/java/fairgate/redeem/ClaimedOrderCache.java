package fairgate.redeem;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Remembers who claimed orders that others ask for too. A redemption is for good, so what stands
/// here stays true; strangers can be told without a look into the database.
final class ClaimedOrderCache {
  private static final int MAX_ORDERS = 20_000;

  private final Map<Order, Owner> owners = new ConcurrentHashMap<>();

  private record Order(String number, String product, String platform) {}

  private record Owner(String device, String deviceId) {}

  /// Notes that somebody else than its owner asked for an order.
  ///
  /// @param platform as the caller named it; null when it did not
  void note(String number, String product, @Nullable String platform, StoredOrder.Redeemed by) {
    if (owners.size() >= MAX_ORDERS) {
      // Cheap to learn anew, and strangers can fill it.
      owners.clear();
    }
    owners.put(order(number, product, platform), new Owner(by.device(), by.deviceId()));
  }

  /// Whether the product of the order is known to be somebody else's.
  boolean isTaken(String number, ClaimRequest request, String device) {
    Owner owner = owners.get(order(number, request.productId(), request.platform()));
    return owner != null && !owner.equals(new Owner(device, request.claimant().deviceId()));
  }

  private static Order order(String number, String product, @Nullable String platform) {
    return new Order(number, product, platform == null ? "" : platform);
  }
}
