package fairgate.gate.ban;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Settings of bans.
///
/// @param crowdsec a further list to follow; null without one
public record BanConfig(@Nullable Crowdsec crowdsec) {
  /// Settings of a CrowdSec local API.
  ///
  /// @param url base URL, without `/v1`
  /// @param apiKey key of a bouncer registered for this node only, because the API tracks per key
  ///   what it has sent
  /// @param every polling interval
  public record Crowdsec(String url, String apiKey, Duration every) {
    @Override
    public String toString() {
      return "Crowdsec[" + url + "]";
    }
  }

  /// The defaults: bans by operators only.
  public static BanConfig defaults() {
    return new BanConfig(null);
  }
}
