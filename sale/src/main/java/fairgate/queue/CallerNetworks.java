package fairgate.queue;

import fairgate.kernel.AddressBlock;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import java.util.List;
import java.util.function.Predicate;

/// The networks by which a sale or a waiting room counts the places and units of a caller, from
/// narrow to wide: the address and the /24 of IPv4; the /64, the /56 and the /48 of IPv6. An IPv6
/// subscriber chooses addresses freely within a /64, and often owns a /56 or a /48.
///
/// @param isCounted false for callers on the allow-list
public record CallerNetworks(KeyRing keyRing, Predicate<Caller> isCounted) {
  private static final int V6_ADDRESS_BITS = 64;
  private static final int V6_NETWORK_BITS = 56;

  /// 60 bits: enough to tell the networks of one sale apart.
  private static final int HASH_LENGTH = 10;

  /// The hashes of the networks; none for a caller without an address or on the allow-list. Equal
  /// networks have different hashes in different sales.
  ///
  /// @param product or the id under which a room issues challenges
  public List<String> of(ProductId product, Caller caller) {
    ClientAddress address = caller.address();
    if (address.equals(ClientAddress.NONE) || !isCounted.test(caller)) {
      return List.of();
    }
    return address.isV4()
        ? List.of(hash(product, address.text()), hash(product, address.network().text()))
        : List.of(
            hash(product, new AddressBlock(address, V6_ADDRESS_BITS).text()),
            hash(product, new AddressBlock(address, V6_NETWORK_BITS).text()),
            hash(product, address.network().text()));
  }

  private String hash(ProductId product, String network) {
    return keyRing
        .fingerprint("network", product.value() + '|' + network)
        .substring(0, HASH_LENGTH);
  }
}
