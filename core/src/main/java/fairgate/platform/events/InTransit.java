package fairgate.platform.events;

import java.time.Duration;
import java.util.function.LongSupplier;

/// The events that have left the outboxes but have not reached the ledger. There are none when the
/// relay writes the ledger itself.
public interface InTransit {
  InTransit NOTHING =
      new InTransit() {
        @Override
        public void awaitArrived(Duration timeout) {}

        @Override
        public void awaitQuiet(Duration timeout, LongSupplier arrived) {}
      };

  /// Waits until all events in transit at the time of the call are in the ledger. Blocks; throws
  /// ServiceUnavailable on timeout or when Kafka is unavailable.
  void awaitArrived(Duration timeout);

  /// Waits until all events are in the ledger and no relevant one has arrived for one second, so
  /// that events held by other relays are included. Blocks; throws like `awaitArrived`.
  ///
  /// @param arrived the number of relevant events in the ledger, such as those of one sale; other
  ///   sales continue meanwhile
  void awaitQuiet(Duration timeout, LongSupplier arrived);
}
