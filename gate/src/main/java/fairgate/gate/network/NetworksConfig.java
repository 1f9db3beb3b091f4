package fairgate.gate.network;

import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Settings of networks. Files are in the `mmdb` format and are watched for changes.
///
/// @param asns a file with the numbers of autonomous systems
/// @param countries a file with countries
/// @param anonymous a file with proxies, VPNs, relays and Tor exits
/// @param hosting autonomous systems of hosting providers, in addition to those the files name
/// @param mobile autonomous systems of mobile carriers, likewise
public record NetworksConfig(
    @Nullable Path asns,
    @Nullable Path countries,
    @Nullable Path anonymous,
    Set<Long> hosting,
    Set<Long> mobile) {
  public NetworksConfig {
    hosting = Set.copyOf(hosting);
    mobile = Set.copyOf(mobile);
  }

  /// No files.
  public static NetworksConfig none() {
    return new NetworksConfig(null, null, null, Set.of(), Set.of());
  }

  /// A copy with a file of autonomous systems.
  public NetworksConfig withAsns(Path file) {
    return new NetworksConfig(file, countries, anonymous, hosting, mobile);
  }

  /// A copy with a file of countries.
  public NetworksConfig withCountries(Path file) {
    return new NetworksConfig(asns, file, anonymous, hosting, mobile);
  }
}
