package fairgate.crowd.proof;

import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import io.vertx.core.http.HttpMethod;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/// The operator of the sales, who calls the admin API of any node.
final class Operator {
  private static final String ADMIN = "/api/admin";
  private static final int AGAIN_MS = 300;
  private static final int TRIES = 20;
  private static final int ENTRANCES = 3;
  private static final byte[] REASON = "{\"reason\":\"A test.\"}".getBytes(StandardCharsets.UTF_8);

  private final NodePorts doors;
  private final Visitor visitor;
  private final Map<String, String> bearer;

  /// @param token bearer token of the server's operator
  Operator(NodePorts doors, Visitor visitor, String token) {
    this.doors = doors;
    this.visitor = visitor;
    this.bearer = Map.of("Authorization", "Bearer " + token);
  }

  /// An operator's action on an order.
  enum OrderAction {
    REFUND(CallType.OPERATOR_REFUND, "/refund"),
    CANCEL(CallType.OPERATOR_CANCEL, "/cancel");

    private final CallType act;
    private final String path;

    OrderAction(CallType act, String path) {
      this.act = act;
      this.path = path;
    }
  }

  /// One call; its answer may be unknown.
  ///
  /// @param path after `/api/admin`
  Answer call(String path, @Nullable ObjectNode body) {
    byte[] bytes = body == null ? new byte[0] : body.toString().getBytes(StandardCharsets.UTF_8);
    return post(path, bytes, RecordedCall.about(CallType.ADMIN, "", "", "POST " + ADMIN + path));
  }

  /// Refunds or cancels an order.
  ///
  /// @param insists asks again while the outcome is unknown; otherwise the operator calls once
  void act(OrderAction action, SaleTerms sale, String order, boolean insists) {
    RecordedCall like = RecordedCall.about(action.act, sale.product(), "", order);
    for (int i = 0; i < (insists ? TRIES : 1); i++) {
      Answer answer = post("/orders/" + order + action.path, REASON, like);
      if (!answer.unknown() && answer.status() < 500) {
        return;
      }
      Callbacks.rest(AGAIN_MS);
    }
  }

  /// Refunds a part of an order, with a double click: two calls at once with the same key.
  ///
  /// @param insists asks again while the outcome is unknown
  void refundPart(SaleTerms sale, String order, long amount, boolean insists) {
    RecordedCall like = RecordedCall.about(CallType.OPERATOR_PART, sale.product(), "", order);
    byte[] body =
        "{\"reason\":\"A part.\",\"amount\":%d}".formatted(amount).getBytes(StandardCharsets.UTF_8);
    Map<String, String> headers = new HashMap<>(bearer);
    headers.put("Idempotency-Key", "part-" + order);
    Thread again = Thread.startVirtualThread(() -> insist(headers, order, body, like, insists));
    insist(headers, order, body, like, insists);
    end(again);
  }

  private void insist(
      Map<String, String> headers, String order, byte[] body, RecordedCall like, boolean insists) {
    for (int i = 0; i < (insists ? TRIES : 1); i++) {
      int port = doors.any(ThreadLocalRandom.current());
      Answer answer =
          visitor.post(port, ADMIN + "/orders/" + order + "/refund", headers, body, like);
      if (!answer.unknown() && answer.status() < 500) {
        return;
      }
      Callbacks.rest(AGAIN_MS);
    }
  }

  /// Gives the buyers of a product tickets; the answer may be unknown.
  Answer giveTickets(String product) {
    return record(
        HttpMethod.PUT,
        "/products/" + product + "/content",
        "{\"tickets\":{}}".getBytes(StandardCharsets.UTF_8));
  }

  /// Checks the tickets of an order in, at several entrances at once, and a copy of each later.
  /// Each scan is repeated until its outcome is known.
  void checkIn(SaleTerms sale, String order) {
    for (String ticket : tickets(order)) {
      List<Thread> entrances = new ArrayList<>();
      for (int i = 0; i < ENTRANCES; i++) {
        String scan = ticket + '-' + i;
        entrances.add(Thread.startVirtualThread(() -> scan(sale, ticket, scan)));
      }
      entrances.forEach(Operator::end);
      Callbacks.rest(AGAIN_MS);
      scan(sale, ticket, ticket + "-copy");
    }
  }

  /// The tickets of a paid order; empty while the ledger does not know it.
  private List<String> tickets(String order) {
    List<String> tickets = new ArrayList<>();
    for (int i = 0; i < TRIES && tickets.isEmpty(); i++) {
      Callbacks.rest(AGAIN_MS);
      record(HttpMethod.GET, "/orders/" + order + "/tickets", new byte[0])
          .body()
          .path("tickets")
          .forEach(ticket -> tickets.add(ticket.path("ticket_id").asText()));
    }
    return tickets;
  }

  private void scan(SaleTerms sale, String ticket, String scan) {
    RecordedCall like = RecordedCall.about(CallType.CHECK_IN, sale.product(), scan, ticket);
    byte[] body =
        "{\"ticket\":\"%s\",\"scan\":\"%s\"}"
            .formatted(ticket, scan)
            .getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < TRIES; i++) {
      Answer answer = post("/products/" + sale.product() + "/check-ins", body, like);
      if (!answer.unknown() && answer.status() < 500) {
        return;
      }
      Callbacks.rest(AGAIN_MS);
    }
  }

  private Answer record(HttpMethod method, String path, byte[] body) {
    RecordedCall like = RecordedCall.about(CallType.ADMIN, "", "", method + " " + ADMIN + path);
    return visitor.send(
        method, doors.any(ThreadLocalRandom.current()), ADMIN + path, bearer, body, like);
  }

  private static void end(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Answer post(String path, byte[] body, RecordedCall like) {
    return visitor.post(doors.any(ThreadLocalRandom.current()), ADMIN + path, bearer, body, like);
  }
}
