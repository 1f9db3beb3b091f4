package fairgate.platform.events;

import java.time.Duration;

/// What has left the outboxes and has not reached the ledger yet. Where the relay writes the ledger
/// itself there is nothing between them.
public interface InTransit {
  /// Nothing between.
  InTransit NOTHING =
      new InTransit() {
        @Override
        public void awaitArrived(Duration patience) {}

        @Override
        public void awaitQuiet(Duration patience) {}
      };

  /// Waits until all that was under way when called is in the ledger. Blocks; throws
  /// ServiceUnavailable when it is not there in time or nobody can tell.
  void awaitArrived(Duration patience);

  /// Waits until all is in the ledger and nothing has come for a second: what other relays held in
  /// their hands has come too. Blocks; throws as `awaitArrived` does.
  void awaitQuiet(Duration patience);
}
