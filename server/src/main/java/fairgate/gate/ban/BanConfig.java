package fairgate.gate.ban;

import fairgate.kernel.AddressBlock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What bans are made of.
///
/// @param asnDatabase the `mmdb` file with network operators' numbers, watched for changes
/// @param crowdsec another list to follow
/// @param never blocks the server itself never bans: its own proxies
public record BanConfig(
    @Nullable Path asnDatabase, @Nullable Crowdsec crowdsec, List<AddressBlock> never) {
  public BanConfig {
    never = List.copyOf(never);
  }

  /// A CrowdSec local API.
  ///
  /// @param url its base, without `/v1`
  /// @param apiKey of a bouncer registered for this node alone: the API remembers by key what it
  ///   has told
  /// @param every how often to ask
  public record Crowdsec(String url, String apiKey, Duration every) {
    @Override
    public String toString() {
      return "Crowdsec[" + url + "]";
    }
  }

  /// Bans by operators and features only.
  public static BanConfig defaults() {
    return new BanConfig(null, null, List.of());
  }
}
