package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// Of whom only the position has to be asked for, and how long.
final class WaitersTest {
  private static final ProductId PRODUCT = new ProductId("7");

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);
  private final Waiters waiters = new Waiters(nanos::get);

  private static SessionId session(int number) {
    return new SessionId("00000000-0000-4000-8000-%012x".formatted(number));
  }

  private static Place place(SessionId session, QueueStatus status, long presenceMs) {
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
        presenceMs);
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  @Test
  void onlyWhoWasWaitingIsRemembered() {
    int number = 0;
    for (QueueStatus status : QueueStatus.values()) {
      SessionId session = session(++number);
      waiters.seen(place(session, status, 0));
      assertThat(waiters.product(session))
          .isEqualTo(status == QueueStatus.WAITING ? PRODUCT : null);
    }
    assertThat(waiters.product(session(99))).isNull();
  }

  @Test
  void allIsAskedForOftenEnoughToNotePresence() {
    waiters.seen(place(session(1), QueueStatus.WAITING, 8_000));
    pass(Duration.ofMillis(999));
    assertThat(waiters.product(session(1))).isEqualTo(PRODUCT);
    pass(Duration.ofMillis(1));
    assertThat(waiters.product(session(1))).isNull();
    waiters.seen(place(session(1), QueueStatus.WAITING, 0));
    pass(Duration.ofMillis(29_999));
    assertThat(waiters.product(session(1))).isEqualTo(PRODUCT);
    pass(Duration.ofMillis(1));
    assertThat(waiters.product(session(1))).isNull();
  }

  @Test
  void whoHasGoneOnIsForgotten() {
    waiters.seen(place(session(1), QueueStatus.WAITING, 0));
    waiters.gone(session(1));
    assertThat(waiters.product(session(1))).isNull();
  }

  /// Whoever stands where another one stood is not taken for him.
  @Test
  void manyMoreThanThereIsRoomForAreKeptApart() {
    for (int i = 0; i < 200_000; i++) {
      waiters.seen(place(session(i), QueueStatus.WAITING, 0));
      assertThat(waiters.product(session(i))).isEqualTo(PRODUCT);
      assertThat(waiters.product(session(i + 1))).isNull();
    }
  }
}
