package fairgate.queue;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Caches the product of sessions that were waiting a moment ago. For these [RankScript] reads the
/// position only, at less cost than [StatusScript]. Entries expire after an eighth of the presence
/// timeout, so that [StatusScript] records presence in time. The time counts from before the script
/// was sent, because a reply may be late. Sessions of a tier or seated behind others are not
/// cached: [RankScript] does not know their further values. Bounded; safe for use by any thread.
final class WaitingCache {
  private static final int MAX_SESSIONS = 65_536;
  private static final int FULL_LOOKS_PER_PRESENCE = 8;
  private static final long MAX_LIFE_MS = 30_000;

  private final Cache<SessionId, Entry> entries =
      Caffeine.newBuilder().maximumSize(MAX_SESSIONS).build();
  private final LongSupplier nanos;

  private record Entry(ProductId product, long until) {}

  WaitingCache(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /// The product for which the session waits; null when its full status has to be read.
  @Nullable ProductId product(SessionId session) {
    Entry entry = entries.getIfPresent(session);
    return entry != null && nanos.getAsLong() - entry.until() < 0 ? entry.product() : null;
  }

  /// The time, for `put`.
  long now() {
    return nanos.getAsLong();
  }

  /// Records a full status.
  ///
  /// @param askedAt a time before the script was sent
  void put(Place place, long askedAt) {
    if (place.status() == QueueStatus.WAITING && place.tier() == 0 && place.seat().isEmpty()) {
      long presence = place.presenceMs();
      long life =
          presence > 0 ? Math.min(MAX_LIFE_MS, presence / FULL_LOOKS_PER_PRESENCE) : MAX_LIFE_MS;
      long until = askedAt + TimeUnit.MILLISECONDS.toNanos(life);
      entries.put(place.session(), new Entry(place.product(), until));
    }
  }

  /// Drops a session that no longer waits.
  void remove(SessionId session) {
    entries.invalidate(session);
  }
}
