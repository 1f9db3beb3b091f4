package fairgate.gate.signal;

import fairgate.kernel.ProductId;
import java.util.Optional;

/// The sales that this node knows. Implemented where the catalog is. Never blocks.
@FunctionalInterface
public interface Sales {
  /// The sale now; empty when this node does not know it.
  Optional<Sale> find(ProductId product);

  /// A sale at one moment.
  ///
  /// @param identity that its limits count: device, account, phone or person
  /// @param opensAt ms; 0 when no time is set
  /// @param requiresDeviceKey whether joins and purchases must prove a device key
  record Sale(String identity, boolean open, long opensAt, boolean requiresDeviceKey) {}
}
