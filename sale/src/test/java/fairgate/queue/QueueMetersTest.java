package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ProductId;
import fairgate.platform.observe.Metrics;
import java.util.List;
import org.junit.jupiter.api.Test;

final class QueueMetersTest {
  private final Metrics metrics = new Metrics();
  private final QueueMeters meters = new QueueMeters(metrics);

  private void pass(int passedOver, int kept) {
    meters.admitted(
        new ProductId("1"),
        new AdmitScript.Pass(
            "open", 0, passedOver, false, kept, List.of(), false, List.of(), List.of()));
  }

  /// An alert is on this counter.
  @Test
  void aPassThatKeepsAbsentPeopleIsCountedOnce() {
    pass(2, 0);
    assertThat(metrics.scrape()).contains("fairgate_queue_presence_halts_total 0.0");
    pass(0, 34);
    assertThat(metrics.scrape())
        .contains("fairgate_queue_presence_halts_total 1.0")
        .contains("fairgate_queue_ended_total{reason=\"presence\"} 2.0");
  }
}
