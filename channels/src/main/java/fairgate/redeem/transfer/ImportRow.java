package fairgate.redeem.transfer;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A row that can be imported.
///
/// @param number its number in the file; the header is row 1
/// @param amount in minor units; null = the file has none
/// @param code the seller's own code; empty = none
/// @param cells the original cells
record ImportRow(
    long number,
    Order order,
    @Nullable Long amount,
    String status,
    @Nullable Instant paidAt,
    @Nullable Instant expiresAt,
    String code,
    List<String> cells) {
  /// An order and one of its products.
  record Order(String platform, String id, String product) {
    /// The identity of a product of an order: two rows with the same one are duplicates.
    String name() {
      return platform + ' ' + id + ' ' + product;
    }

    boolean isSameOrder(Order other) {
      return platform.equals(other.platform) && id.equals(other.id);
    }
  }

  ImportRow {
    cells = List.copyOf(cells);
  }

  /// Everything but the place in the file; equal for rows that say the same.
  List<Object> content() {
    return List.of(
        order,
        String.valueOf(amount),
        status,
        String.valueOf(paidAt),
        String.valueOf(expiresAt),
        code);
  }
}
