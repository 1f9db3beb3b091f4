package fairgate.app.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/// How often the page of a visitor without JavaScript refreshes itself.
class NoScriptPanelTest {
  private static int seconds(int presence, int showUp, String status, int ahead) {
    String product =
        "{\"id\":\"7\",\"presence_timeout_seconds\":%d,\"show_up_seconds\":%d}"
            .formatted(presence, showUp);
    String place =
        "{\"queue_status\":\"%s\",\"people_ahead\":%d,\"queue_position_waiting\":%d}"
            .formatted(status, ahead, ahead);
    return NoScriptPanel.refreshSeconds(
        new SaleView(
            Fields.of(product),
            Optional.of(Fields.of(place)),
            Optional.empty(),
            Optional.empty(),
            Optional.empty()));
  }

  @Test
  void aSessionInFrontAsksSeveralTimesWithinTheTimeToShowUp() {
    assertThat(seconds(120, 20, "active", 3)).isEqualTo(5);
    assertThat(seconds(120, 8, "waiting", 49)).isEqualTo(2);
    assertThat(seconds(120, 1, "active", 0)).isEqualTo(1);
  }

  @Test
  void oneFarBackAsksLessOften() {
    assertThat(seconds(120, 8, "waiting", 50)).isEqualTo(10);
    assertThat(seconds(20, 8, "waiting", 50)).isEqualTo(5);
    assertThat(seconds(120, 8, "waiting", -1)).isEqualTo(10);
  }
}
