package fairgate.draw;

import fairgate.kernel.ProductId;

/// The units of sales as Redis counts them at this moment.
@FunctionalInterface
public interface SaleUnits {
  /// The units that a sale has no more, and those who may buy further ones. Blocks; throws
  /// ServiceUnavailable while Redis does not know it for certain.
  Taken taken(ProductId product);

  /// The units that are gone, and the people who could take more.
  ///
  /// @param units sold or reserved
  /// @param buyers people in the queue, and winners whose offers are open
  record Taken(long units, long buyers) {}
}
