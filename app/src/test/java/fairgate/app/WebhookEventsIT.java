package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import fairgate.testkit.WebhookReceiver;
import fairgate.testkit.WebhookReceiver.Message;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Webhooks about orders, from the purchase to the message, on the whole server.
class WebhookEventsIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final String POLICY =
      """
      {"preset": "queue", "payment": "required", "payment_window_seconds": 600,
       "active_capacity": 10, "ready_slots": 10}
      """;

  private static String text(HttpResponse<String> answer, String field) {
    try {
      return JSON.readTree(answer.body()).path(field).asText();
    } catch (IOException e) {
      throw new IllegalStateException(answer.body(), e);
    }
  }

  private static String bought(TestFairgate server, String session) {
    HttpResponse<String> answer =
        server.callUntilAccepted(
            "POST",
            "/api/purchase",
            "{\"product_id\":\"91\",\"quantity\":1}",
            "X-Session-Id",
            session,
            "Idempotency-Key",
            session);
    return text(answer, "order_id");
  }

  private static String ready(TestFairgate server) {
    HttpResponse<String> joined =
        server.callUntilAccepted(
            "POST",
            "/api/queue/join",
            "{\"product_id\":\"91\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}");
    String session = text(joined, "session_id");
    Eventually.await(
        () ->
            text(
                    server.call("GET", "/api/queue/status", "", "X-Session-Id", session),
                    "queue_status")
                .equals("ready_to_purchase"));
    return session;
  }

  private static void settle(
      TestFairgate server, String session, String order, String step, String body) {
    HttpResponse<String> answer =
        server.callUntilAccepted(
            "POST", "/api/orders/" + order + "/" + step, body, "X-Session-Id", session);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
  }

  /// Each message once: one whose reply came late is sent again with the same id.
  private static List<Message> messages(WebhookReceiver receiver) {
    Set<String> seen = new HashSet<>();
    return receiver.messages().stream().filter(message -> seen.add(message.id())).toList();
  }

  private static List<Message> about(WebhookReceiver receiver, String order) {
    return messages(receiver).stream()
        .filter(message -> message.data().path("order_id").asText().equals(order))
        .toList();
  }

  @Test
  void theStepsOfAnOrderArriveSignedAndOnce() {
    TestEngines engines = TestEngines.shared();
    try (WebhookReceiver receiver = WebhookReceiver.start(SECRET, Clock.systemUTC());
        TestFairgate server =
            TestFairgate.start(
                engines,
                engines.freshDatabase(),
                Map.of("webhooks.url", receiver.url(), "webhooks.secret", SECRET))) {
      server.createProduct("91", 5, POLICY);
      server.openSale("91");
      String buyer = ready(server);
      String paid = bought(server, buyer);
      settle(server, buyer, paid, "pay", "{\"result\":\"paid\"}");
      String quitter = ready(server);
      String cancelled = bought(server, quitter);
      settle(server, quitter, cancelled, "cancel", "{}");

      Eventually.await(
          () -> about(receiver, paid).size() == 2 && about(receiver, cancelled).size() == 2);
      assertThat(messages(receiver)).hasSize(4);
      assertThat(receiver.messages()).allMatch(Message::genuine);
      assertThat(about(receiver, paid))
          .extracting(Message::type)
          .containsExactlyInAnyOrder("order.reserved", "order.confirmed");
      assertThat(about(receiver, cancelled))
          .extracting(Message::type)
          .containsExactlyInAnyOrder("order.reserved", "order.released");
      assertThat(receiver.messages())
          .noneMatch(message -> message.body().contains(buyer) || message.body().contains(quitter));
    }
  }
}
