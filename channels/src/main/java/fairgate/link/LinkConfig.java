package fairgate.link;

import fairgate.platform.http.Request;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The settings of short links.
///
/// @param baseUrl prefix of short addresses, without a slash at the end; empty = the address of the
///   server
/// @param ownUrls the other addresses of this server as browsers know them; empty ones are ignored
/// @param guests whether browsers without an account may create links, one at a time; such links
///   belong to the browser and expire within 30 days
/// @param denyList hosts that links may not lead to, one per line; null = none
/// @param misses unknown codes that one address may try on one node in any minute; 0 = unlimited
/// @param mostPerOwner links of an account or a browser, expired ones included
/// @param cached links in memory
/// @param zone the time zone of daily click counts
/// @param clickInterval interval of writing clicks: a crash loses at most these
public record LinkConfig(
    String baseUrl,
    List<String> ownUrls,
    Guests guests,
    @Nullable Path denyList,
    int misses,
    int mostPerOwner,
    int cached,
    ZoneId zone,
    Duration clickInterval) {
  /// The visitors who may create links without an account.
  public enum Guests {
    /// Nobody.
    OFF,
    /// Browsers with a challenge solution for each link.
    CHALLENGE,
    /// Programs of this machine; others with a challenge solution.
    TRIAL,
    /// Everybody.
    OPEN;

    /// Whether the caller needs a challenge solution.
    public boolean asks(Request request) {
      return this == CHALLENGE || (this == TRIAL && !request.isLocal());
    }
  }
}
