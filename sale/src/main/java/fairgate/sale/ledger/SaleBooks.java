package fairgate.sale.ledger;

import fairgate.kernel.ProductId;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.sale.LedgerView.Head;
import java.util.Map;

/// The units of a sale as PostgreSQL has them, from two sources in one snapshot: the totals, which
/// every event changes, and the orders and stock batches, counted row by row.
///
/// @param name the product's name
/// @param head the ledger's position in the outbox, with the totals of held and sold units
/// @param released units, by the totals
/// @param batches units of released stock batches
/// @param pending units of unpaid orders
/// @param paid units of paid orders
/// @param rejected entries that the ledger rejected and that nobody has resolved
public record SaleBooks(
    String name, Head head, long released, long batches, long pending, long paid, long rejected) {
  /// Reads the units of every sale with stock, by product. Blocks.
  public static Map<ProductId, SaleBooks> all(PostgresDatabase database) {
    return PostgresSaleBooks.all(database);
  }

  /// Whether the totals equal what the orders and the stock batches add up to.
  public boolean agree() {
    return head.held() == pending && head.confirmed() == paid && released == batches;
  }
}
