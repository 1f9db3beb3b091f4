package fairgate.sale.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.platform.events.OutboxEntry;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OrderMessageTest {
  private static Optional<OrderMessage> message(String kind, String... more) {
    return OrderMessage.of(WebhookWorld.entry(42, kind, more), WebhookWorld.STREAM.product());
  }

  private static String type(String kind, String... more) {
    return message(kind, more).map(OrderMessage::type).orElse("none");
  }

  @Test
  void eachStepOfAnOrderIsOneType() {
    assertThat(type("reserved")).isEqualTo("order.reserved");
    assertThat(type("confirmed", "status", "paid")).isEqualTo("order.confirmed");
    assertThat(type("released", "status", "expired")).isEqualTo("order.released");
    assertThat(type("refunded", "status", "refunded")).isEqualTo("order.refunded");
    assertThat(type("reserved", "status", "paid")).isEqualTo("order.confirmed");
  }

  @Test
  void whatConcernsNobodyOutsideIsNotTold() {
    assertThat(type("refund_due")).isEqualTo("none");
    assertThat(
            OrderMessage.of(
                new OutboxEntry(
                    "1-0", Map.of("epoch", "1", "seq", "1", "kind", "stock", "batch", "1")),
                WebhookWorld.STREAM.product()))
        .isEmpty();
  }

  @Test
  void theBodyTellsTheOrderAndNeverTheSession() {
    OrderMessage message =
        message("confirmed", "status", "paid", "version", "2", "payment", "pay_1", "reason", "x")
            .orElseThrow();
    assertThat(message.id()).isEqualTo("evt_7_1_42");
    assertThat(message.body())
        .isEqualTo(
            "{\"type\":\"order.confirmed\",\"timestamp\":\"2026-09-21T14:13:20Z\",\"data\":{"
                + "\"order_id\":\"order_7_aaaaaaaaaaaaaaaaaaaaaaaaaa\","
                + "\"order_number\":\"AAAA-AAAA\",\"product_id\":\"7\","
                + "\"user_id\":\"user-1\",\"quantity\":1,\"amount\":9999,\"currency\":\"TWD\","
                + "\"status\":\"paid\",\"version\":2,\"payment_id\":\"pay_1\",\"reason\":\"x\"}}");
    assertThat(message.body()).doesNotContain("3f0c1c1e").doesNotContain("device-1");
  }

  @Test
  void deadlinesAndRefundsAreToldWhereTheyAre() {
    assertThat(message("reserved", "pay_by", "1790000600000").orElseThrow().body())
        .contains("\"pay_by\":\"2026-09-21T14:23:20Z\"");
    assertThat(
            message("refunded", "refund_amount", "5", "refund_currency", "USD")
                .orElseThrow()
                .body())
        .contains("\"refund_amount\":5,\"refund_currency\":\"USD\"");
  }
}
