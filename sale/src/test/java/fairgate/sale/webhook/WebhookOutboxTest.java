package fairgate.sale.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.events.OutboxEntry;
import fairgate.platform.events.OutboxSink;
import fairgate.sale.webhook.WebhookFeature.WebhookOutbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WebhookOutboxTest {
  private final WebhookWorld world = new WebhookWorld();
  private final List<List<OutboxEntry>> ledger = new ArrayList<>();

  @AfterEach
  void close() {
    world.close();
  }

  private OutboxSink outbox(OutboxSink sink) {
    return new WebhookOutbox(sink, world.deliveries);
  }

  @Test
  void eachEventIsListedOnceHoweverOftenItComes() {
    OutboxSink outbox = outbox((_, entries) -> ledger.add(entries));
    List<OutboxEntry> entries =
        List.of(
            WebhookWorld.entry(1, "reserved"),
            WebhookWorld.entry(2, "refund_due"),
            WebhookWorld.entry(3, "confirmed", "status", "paid"));
    outbox.apply(WebhookWorld.STREAM, entries);
    outbox.apply(WebhookWorld.STREAM, entries);
    assertThat(ledger).containsExactly(entries, entries);
    assertThat(world.count("due")).isEqualTo(2);
    assertThat(world.deliveries.take(10, Duration.ofMinutes(1)))
        .extracting(PostgresDeliveries.DueDelivery::id)
        .containsExactlyInAnyOrder("evt_7_1_1", "evt_7_1_3");
    outbox.apply(WebhookWorld.STREAM, entries);
    assertThat(world.deliveries.take(10, Duration.ofMinutes(1))).isEmpty();
  }

  @Test
  void nothingIsToldThatTheLedgerHasNot() {
    OutboxSink outbox =
        outbox(
            (_, _) -> {
              throw new ServiceUnavailable("away", Duration.ofSeconds(1));
            });
    assertThatThrownBy(
            () -> outbox.apply(WebhookWorld.STREAM, List.of(WebhookWorld.entry(1, "reserved"))))
        .isInstanceOf(ServiceUnavailable.class);
    assertThat(world.count("due")).isZero();
  }
}
