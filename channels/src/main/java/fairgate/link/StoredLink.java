package fairgate.link;

import fairgate.link.cache.LinkEntry;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A link as its owner sees it.
///
/// @param visits redirects given, counted exactly where there is a limit
/// @param clicks of people, all of them
public record StoredLink(
    LinkEntry entry,
    String owner,
    Instant createdAt,
    int visits,
    long clicks,
    long bots,
    long visitors,
    @Nullable String banReason) {

  /// `active`, `disabled`, `banned`, `expired` or `used_up`.
  public String state(Instant now) {
    return switch (entry.state()) {
      case BANNED -> "banned";
      case DISABLED -> "disabled";
      case ACTIVE ->
          entry.expired(now.toEpochMilli())
              ? "expired"
              : entry.maxVisits() > 0 && visits >= entry.maxVisits() ? "used_up" : "active";
    };
  }
}
