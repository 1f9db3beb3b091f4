package fairgate.platform.events;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RelaySettingsTest {
  /// Returned units may be pending at a dead relay and already sold again: the sale's entries are
  /// refused until they arrive.
  @Test
  void entriesOfADeadRelayAreClaimedBeforeOthersAreParked() {
    OutboxRelay.Settings settings = OutboxRelay.Settings.standard();
    Duration tried = Duration.ZERO;
    for (int i = 1; i < settings.tries(); i++) {
      tried = tried.plus(settings.firstRetry().multipliedBy(1L << (i - 1)));
    }
    assertThat(tried).isGreaterThan(settings.claimIdle().plus(settings.claimEvery()));
  }
}
