package fairgate.link;

import fairgate.platform.feature.Setting;
import fairgate.platform.http.Request;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The settings of short links.
public record LinkSettings(
    @Setting(
            name = "links.guests",
            fallback = "auto",
            words = {"auto", "open", "challenge", "off"},
            warning =
                "open lets programs fill the shop's domain with links to anywhere; use challenge",
            doc =
                "Whether a browser without an account may create short links: `challenge` with a "
                    + "challenge solution for each, `open` without, `off` not at all. `auto` is "
                    + "`challenge`; in `up`, programs on the same machine need no solution. "
                    + "Such links expire after 7 days by default, after 30 at most; `limit.create` "
                    + "counts them by address (IPv6: by /56).")
        String guests,
    @Setting(
            name = "links.deny_list",
            values = "file",
            doc = "Hosts that no short link may lead to, with their subdomains, one per line.")
        String denyList,
    @Setting(
            name = "links.miss_per_minute",
            fallback = "30",
            min = 1,
            max = 1_000_000,
            doc = "Unknown codes that one address may request on one node per minute.")
        int misses,
    @Setting(
            name = "links.most_per_owner",
            fallback = "10000",
            min = 1,
            max = 10_000_000,
            doc =
                "Maximum number of short links of an account, or of a browser without "
                    + "one; expired and disabled links count too.")
        int maxPerOwner,
    @Setting(
            name = "links.cached",
            fallback = "100000",
            min = 100,
            max = 10_000_000,
            doc = "Number of links cached in memory.")
        int cached,
    @Setting(
            name = "links.time_zone",
            values = "time zone such as Asia/Taipei",
            doc = "Time zone of the days in click statistics; by default `shop.time_zone`.")
        Optional<ZoneId> timeZone,
    @Setting(
            name = "links.click_interval_ms",
            fallback = "2000",
            min = 100,
            max = 60_000,
            doc =
                "How often clicks are written, in milliseconds; a crash loses at most "
                    + "those since the last write.")
        int clickIntervalMs) {
  /// The visitors who may create links without an account.
  ///
  /// @param isUp whether the server runs by `up`
  Guests guests(boolean isUp) {
    return switch (guests) {
      case "open" -> Guests.OPEN;
      case "challenge" -> Guests.CHALLENGE;
      case "off" -> Guests.OFF;
      default -> isUp ? Guests.TRIAL : Guests.CHALLENGE;
    };
  }

  /// Null without a list.
  @Nullable Path denyFile() {
    return denyList.isEmpty() ? null : Path.of(denyList);
  }

  Duration clickInterval() {
    return Duration.ofMillis(clickIntervalMs);
  }

  /// Visitors who may create links without an account, one at a time; such links belong to the
  /// browser and expire within 30 days.
  enum Guests {
    /// Nobody.
    OFF,
    /// Browsers with a challenge solution for each link.
    CHALLENGE,
    /// Programs of this machine; others with a challenge solution.
    TRIAL,
    /// Everybody.
    OPEN;

    boolean asks(Request request) {
      return this == CHALLENGE || (this == TRIAL && !request.isLocal());
    }
  }
}
