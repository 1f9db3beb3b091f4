package fairgate.crowd.proof;

import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/// The operator of the sales, who calls the admin API of any node.
final class Operator {
  private static final String ADMIN = "/api/admin";
  private static final int AGAIN_MS = 300;
  private static final int TRIES = 20;
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
    try {
      again.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
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

  private Answer post(String path, byte[] body, RecordedCall like) {
    return visitor.post(doors.any(ThreadLocalRandom.current()), ADMIN + path, bearer, body, like);
  }
}
