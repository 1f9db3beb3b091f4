package fairgate.gate.signal;

import static fairgate.gate.signal.SignalServer.value;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.SessionId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PollSourceTest {
  private static final SessionId SESSION = new SessionId("3f0c1c1e-7c1f-4d36-9a53-0d0f9e6f2a11");

  private final Judge judge = new Judge();
  private final PollSource source = new PollSource(judge.clock);

  private Object early() {
    return value(judge.features(source, judge.guest("203.0.113.1").in(SESSION)), "polls_too_early");
  }

  private void poll(int times, Duration pause) {
    for (int i = 0; i < times; i++) {
      source.polled(SESSION, 2_000);
      judge.clock.advance(pause);
    }
  }

  @Test
  void aClientThatKeepsToThePauseNeverPollsEarly() {
    poll(50, Duration.ofMillis(1_700));
    assertThat(early()).isEqualTo(0L);
  }

  @Test
  void aClientThatIgnoresThePauseIsCountedEachTime() {
    poll(50, Duration.ofMillis(200));
    assertThat(early()).isEqualTo(49L);
    judge.clock.advance(Duration.ofHours(3));
    assertThat(early()).isEqualTo(0L);
  }

  @Test
  void aReloadCountsOnce() {
    poll(5, Duration.ofSeconds(2));
    source.polled(SESSION, 2_000);
    judge.clock.advance(Duration.ofMillis(300));
    poll(5, Duration.ofSeconds(2));
    assertThat(early()).isEqualTo(1L);
  }

  @Test
  void aCallerWithoutAPlaceHasNone() {
    poll(5, Duration.ofMillis(1));
    assertThat(SignalServer.set(judge.features(source, judge.guest("203.0.113.1")))).isEmpty();
  }
}
