package fairgate.standby;

import fairgate.kernel.OrderId;
import fairgate.platform.postgres.Db;

/// Tells people that units are reserved for them.
@FunctionalInterface
public interface OfferNotice {
  /// Adds the message within the transaction that ends the entry.
  void add(Db db, StandbyEntry entry, OrderId order);
}
