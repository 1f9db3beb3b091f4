package fairgate.sale;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.kernel.ProductId;
import fairgate.platform.events.OutboxSink;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// The ledger's data about sales. Blocks; throws ServiceUnavailable while PostgreSQL is
/// unavailable.
public interface LedgerView {
  /// The position of the ledger in a sale's outbox, and its units at that position.
  ///
  /// @param epoch the latest epoch with an event
  /// @param lastSeq number of the last event of that epoch
  /// @param events number of events of that epoch
  /// @param earlier number of events of earlier epochs
  /// @param held units
  /// @param confirmed units
  record Head(long epoch, long lastSeq, long events, long earlier, long held, long confirmed) {
    /// A sale without history.
    public static final Head NOTHING = new Head(0, 0, 0, 0, 0, 0);

    /// How many events the ledger has, of all epochs.
    public long all() {
      return earlier + events;
    }

    /// How many events of epochs before this one the ledger has.
    long before(long other) {
      return earlier + (epoch < other ? events : 0);
    }

    /// How many events of this epoch the ledger has, where it is not before the latest.
    long of(long other) {
      return epoch == other ? events : 0;
    }
  }

  /// The totals of a sale.
  ///
  /// @param released units released so far
  /// @param batches number of the last released batch
  record Totals(long released, long held, long confirmed, int batches) {}

  /// An order, whatever became of it.
  ///
  /// @param fields of its hash in Redis
  record KnownOrder(String id, Map<String, String> fields) {
    public KnownOrder {
      fields = Map.copyOf(fields);
    }

    /// Whether it holds or owns its units.
    boolean live() {
      String status = fields.getOrDefault("status", "");
      return status.equals("pending") || status.equals("paid");
    }
  }

  /// The heads of all sales with events. They include all entries that were on their way at the
  /// call; throws ServiceUnavailable if waiting for those takes too long.
  Map<ProductId, Head> heads();

  /// The head of one sale as it is now; `NOTHING` when it has no history.
  Head head(ProductId product);

  /// Reserves an epoch that no sale of this product has had and no later call returns.
  ///
  /// @param above at least one more than this
  long openEpoch(ProductId product, long above);

  /// Takes entries of an outbox at once, whatever the relays do; a repeat changes nothing.
  OutboxSink sink();

  /// Whether no batch of this sale is being written at this moment. Does not wait.
  boolean quiet(ProductId product);

  /// Waits until no known entry of the sale is on its way to the ledger: batches that a relay is
  /// writing, and entries that have left the outbox. It does not wait for a relay that is held up
  /// before it writes: `Head.before` detects its entries when they arrive. For a sale whose outbox
  /// gets no new entries. Throws ServiceUnavailable if it takes too long.
  void settle(ProductId product);

  /// The totals of one sale; empty when the ledger does not know it.
  Optional<Totals> totals(ProductId product);

  /// All orders of one sale, in chunks, of one unchanging picture; returns how many events of the
  /// sale the ledger has in that picture.
  @CanIgnoreReturnValue
  long orders(ProductId product, Consumer<List<KnownOrder>> chunk);
}
