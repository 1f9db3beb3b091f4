package fairgate.sale;

import fairgate.kernel.ProductId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// What the ledger knows of the sales. Blocks; throws ServiceUnavailable while PostgreSQL is away.
public interface LedgerView {
  /// How far the ledger has read one sale's outbox.
  record Head(long epoch, long lastSeq) {}

  /// What a sale came to, as the ledger has it.
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

  /// The heads of all sales that have any history. What was on its way when called is in them;
  /// throws ServiceUnavailable when that takes too long.
  Map<ProductId, Head> heads();

  /// Waits until nothing is on its way into the ledger any more. For a sale whose outbox nobody
  /// writes to: else it may not end well. Throws ServiceUnavailable when it takes too long.
  void settle();

  /// The totals of one sale; empty when the ledger does not know it.
  Optional<Totals> totals(ProductId product);

  /// All orders of one sale, in chunks, of one unchanging picture.
  void orders(ProductId product, Consumer<List<KnownOrder>> chunk);
}
