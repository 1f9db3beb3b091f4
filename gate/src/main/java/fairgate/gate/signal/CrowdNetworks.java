package fairgate.gate.signal;

import fairgate.kernel.AddressBlock;
import fairgate.kernel.ClientAddress;
import java.util.Objects;

/// The networks by which the crowd is counted, from narrow to wide.
///
/// @param address the IPv4 address, or the /64 of IPv6
/// @param network the /24, or the /56
/// @param site the /48 of IPv6; empty for IPv4
record CrowdNetworks(String address, String network, String site) {
  private static final int V6_ADDRESS_BITS = 64;
  private static final int V6_NETWORK_BITS = 56;

  private static final AddressBlock LOOPBACK_V4 =
      Objects.requireNonNull(AddressBlock.parse("127.0.0.0/8"));
  private static final AddressBlock LOOPBACK_V6 = Objects.requireNonNull(AddressBlock.parse("::1"));

  /// Whether the address says nothing about a client: it has none, or it is that of a program on
  /// this machine, such as a proxy that is not configured.
  static boolean isUnknown(ClientAddress address) {
    return address.equals(ClientAddress.NONE)
        || LOOPBACK_V4.contains(address)
        || LOOPBACK_V6.contains(address);
  }

  static CrowdNetworks of(ClientAddress address) {
    return address.isV4()
        ? new CrowdNetworks(address.text(), address.network().text(), "")
        : new CrowdNetworks(
            new AddressBlock(address, V6_ADDRESS_BITS).text(),
            new AddressBlock(address, V6_NETWORK_BITS).text(),
            address.network().text());
  }
}
