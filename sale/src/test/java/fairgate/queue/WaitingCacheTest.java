package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.queue.PlaceLookup.WaitingCache;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class WaitingCacheTest {
  private static final ProductId PRODUCT = new ProductId("7");

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);
  private final WaitingCache cache = new WaitingCache(nanos::get);

  private static SessionId session(int number) {
    return new SessionId("00000000-0000-4000-8000-%012x".formatted(number));
  }

  private static Place place(SessionId session, Place.Status status, long presenceMs) {
    return new Place(
        session,
        PRODUCT,
        status,
        0,
        -1,
        1,
        0,
        -1,
        0,
        0,
        "open",
        1,
        0,
        0,
        false,
        "",
        "",
        "",
        1,
        presenceMs,
        1,
        Duration.ofDays(1),
        false,
        0,
        0,
        -1,
        0,
        "",
        "");
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  @Test
  void onlyWaitingSessionsAreCached() {
    int number = 0;
    for (Place.Status status : Place.Status.values()) {
      SessionId session = session(++number);
      cache.put(place(session, status, 0), cache.now());
      assertThat(cache.product(session)).isEqualTo(status == Place.Status.WAITING ? PRODUCT : null);
    }
    assertThat(cache.product(session(99))).isNull();
  }

  @Test
  void entriesExpireEarlyEnoughToRecordPresence() {
    cache.put(place(session(1), Place.Status.WAITING, 8_000), cache.now());
    pass(Duration.ofMillis(999));
    assertThat(cache.product(session(1))).isEqualTo(PRODUCT);
    pass(Duration.ofMillis(1));
    assertThat(cache.product(session(1))).isNull();
    cache.put(place(session(1), Place.Status.WAITING, 0), cache.now());
    pass(Duration.ofMillis(29_999));
    assertThat(cache.product(session(1))).isEqualTo(PRODUCT);
    pass(Duration.ofMillis(1));
    assertThat(cache.product(session(1))).isNull();
  }

  /// Otherwise a late reply would delay the next record of presence.
  @Test
  void theTimeOfAnEntryCountsFromTheRequest() {
    long askedAt = cache.now();
    pass(Duration.ofMillis(900));
    cache.put(place(session(1), Place.Status.WAITING, 8_000), askedAt);
    assertThat(cache.product(session(1))).isEqualTo(PRODUCT);
    pass(Duration.ofMillis(100));
    assertThat(cache.product(session(1))).isNull();
  }

  @Test
  void aRemovedSessionIsNotCached() {
    cache.put(place(session(1), Place.Status.WAITING, 0), cache.now());
    cache.remove(session(1));
    assertThat(cache.product(session(1))).isNull();
  }
}
