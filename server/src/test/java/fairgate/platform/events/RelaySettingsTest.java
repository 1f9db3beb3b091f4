package fairgate.platform.events;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RelaySettingsTest {
  /// Units that came back may be with a relay that died, and sold again by then: the sale is
  /// refused until they have arrived.
  @Test
  void nothingIsParkedBeforeWhatADeadRelayHadIsTakenOver() {
    RelaySettings settings = RelaySettings.standard();
    Duration tried = Duration.ZERO;
    for (int i = 1; i < settings.tries(); i++) {
      tried = tried.plus(settings.firstRetry().multipliedBy(1L << (i - 1)));
    }
    assertThat(tried).isGreaterThan(settings.claimIdle().plus(settings.claimEvery()));
  }
}
