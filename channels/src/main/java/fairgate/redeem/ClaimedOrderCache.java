package fairgate.redeem;

import fairgate.redeem.Verification.StoredOrder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Caches the owners of claimed orders that other devices try to claim too. A redemption is final,
/// so entries never become stale, and such attempts are refused without a database query.
final class ClaimedOrderCache {
  private static final int MAX_ORDERS = 20_000;

  private final Map<Order, Owner> owners = new ConcurrentHashMap<>();

  private record Order(String number, String product, String platform) {}

  private record Owner(String device, String deviceId) {}

  /// Stores the owner of an order after another device tried to claim it.
  ///
  /// @param platform as the caller named it; null when it did not
  void note(String number, String product, @Nullable String platform, StoredOrder.Redeemed by) {
    if (owners.size() >= MAX_ORDERS) {
      // Entries are cheap to load again, and attackers can fill the cache.
      owners.clear();
    }
    owners.put(order(number, product, platform), new Owner(by.device(), by.deviceId()));
  }

  /// Whether another device is known to own this product of the order.
  boolean isTaken(String number, ClaimRequest request, String device) {
    Owner owner = owners.get(order(number, request.productId(), request.platform()));
    return owner != null && !owner.equals(new Owner(device, request.claimant().deviceId()));
  }

  private static Order order(String number, String product, @Nullable String platform) {
    return new Order(number, product, platform == null ? "" : platform);
  }
}
