package fairgate.catalog;

import fairgate.kernel.Money;
import fairgate.kernel.ProductId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A product and its sale in the catalog. Live values (free units, the queue) are in Redis only.
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

  /// The values of a new or changed product.
  public record Draft(Details details, SalePolicy policy) {}

  /// The fields of a product that operators set, besides its policy.
  ///
  /// @param totalStock planned units, released or not
  /// @param durationDays validity of a purchase; null = unlimited
  public record Details(
      String name, String imageUrl, Money price, int totalStock, @Nullable Integer durationDays) {}
}
