package fairgate.catalog;

import fairgate.kernel.Money;
import fairgate.kernel.ProductId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A product and its sale, as the catalog knows them. What is live (free units, the queue) is known
/// to Redis only.
///
/// @param policyVersion counts the policies this product has had, from 1
/// @param version higher after every change of anything here, across all products
/// @param nextBatchAt when the next planned units come; null when no time is set
public record Product(
    ProductId id,
    Details details,
    SalePolicy policy,
    int policyVersion,
    ProductState state,
    long version,
    @Nullable Instant nextBatchAt) {

  /// What an operator says of a product, besides its policy.
  ///
  /// @param totalStock planned units, released or not
  /// @param durationDays how long what was bought is good for; null = for ever
  public record Details(
      String name, String imageUrl, Money price, int totalStock, @Nullable Integer durationDays) {}
}
