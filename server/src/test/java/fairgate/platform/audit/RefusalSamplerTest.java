package fairgate.platform.audit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.challenge.GateFixture;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RefusalSamplerTest {
  private final GateFixture.SteppedClock clock = new GateFixture.SteppedClock();
  private final RefusalSampler sampler = new RefusalSampler(clock);

  @Test
  void aFewAreAllKept() {
    for (int i = 0; i < RefusalSampler.WHOLE_A_SECOND; i++) {
      assertThat(sampler.weight("RATE_LIMIT_EXCEEDED")).isEqualTo(1);
    }
    assertThat(sampler.weight("RATE_LIMIT_EXCEEDED")).isZero();
    assertThat(sampler.weight("CLIENT_BANNED")).isEqualTo(1);
    clock.advance(Duration.ofSeconds(1));
    assertThat(sampler.weight("RATE_LIMIT_EXCEEDED")).isEqualTo(2);
  }

  @Test
  void inAFloodThoseThatAreKeptStandForAll() {
    long kept = 0;
    long stoodFor = 0;
    int all = 100_000;
    for (int i = 0; i < all; i++) {
      int weight = sampler.weight("RATE_LIMIT_EXCEEDED");
      kept += weight > 0 ? 1 : 0;
      stoodFor += weight;
    }
    assertThat(kept).isEqualTo(50 + all / 100);
    assertThat(stoodFor).isEqualTo(all);
  }
}
