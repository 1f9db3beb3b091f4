package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class PlaceTest {
  private static Place place(Place.Status status, int ahead, long presenceMs) {
    return place(status, ahead, presenceMs, 0);
  }

  private static Place place(Place.Status status, int ahead, long presenceMs, long showUpMs) {
    return new Place(
        new SessionId(UUID.randomUUID().toString()),
        new ProductId("7"),
        status,
        ahead,
        -1,
        ahead + 1,
        0,
        -1,
        0,
        0,
        "open",
        1,
        ahead,
        0,
        false,
        "",
        "",
        "",
        1,
        presenceMs,
        ahead + 1,
        Duration.ofDays(1),
        false,
        showUpMs,
        0,
        -1,
        0,
        "",
        "");
  }

  @Test
  void aClientIsToldToAskAtLeastTwicePerPresenceTimeout() {
    for (Place.Status status : Place.Status.values()) {
      for (long seconds = 1; seconds <= 130; seconds++) {
        int poll = place(status, 1_000_000, seconds * 1_000).pollAfterMs();
        // The page adds up to a fifth by chance.
        assertThat(poll * 1.2).isLessThanOrEqualTo(seconds * 500.0).isPositive();
      }
    }
  }

  @Test
  void whileTheWaitIsUnknownAClientAsksTwicePerShowUpTimeout() {
    int poll = place(Place.Status.WAITING, 1_000_000, 0, 20_000).pollAfterMs();
    // The page adds up to a fifth by chance.
    assertThat(poll * 1.2).isLessThanOrEqualTo(12_000).isPositive();
  }

  @Test
  void whoseTurnIsAboutToBeginAsksAtThatMoment() {
    Place place =
        Place.parse(
            new SessionId(UUID.randomUUID().toString()),
            "active|7|-1|3|0|9|12.5|1037|301037|open|5|0|1000|1||||1|300000|120000|0|60000|0|20000|0|-1|0||");
    assertThat(place.pollAfterMs()).isEqualTo(37);
  }

  @Test
  void withoutPresenceThoseFarBackAskEveryFifteenSeconds() {
    assertThat(place(Place.Status.WAITING, 1_000_000, 0).pollAfterMs()).isEqualTo(15_000);
    assertThat(place(Place.Status.READY_TO_PURCHASE, 0, 0).pollAfterMs()).isEqualTo(1_000);
  }
}
