package fairgate.crowd.proof;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import fairgate.crowd.CrowdClient;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Sends payment callbacks, signed by Standard Webhooks, until one succeeds.
final class Callbacks {
  private static final String PATH = "/api/payments/webhook";
  private static final int AGAIN_MS = 400;
  private static final int UNKNOWN_TRIES = 10;

  private final NodePorts doors;
  private final Visitor line;
  private final byte[] secret;
  private volatile boolean over;

  Callbacks(Vertx vertx, NodePorts doors, Journal journal, String secret) {
    this.doors = doors;
    this.secret = Base64.getDecoder().decode(secret.substring("whsec_".length()));
    this.line = new Visitor(new CrowdClient(vertx, 16), journal, "gateway");
  }

  static void rest(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void giveUp() {
    over = true;
  }

  void deliver(Gateway.Payment payment) {
    int unknown = 0;
    while (true) {
      Answer answer = send(payment, secret, CallType.CALLBACK);
      // An unknown order may still be on its way; a gateway does not retry for ever.
      unknown += answer.status() == 404 ? 1 : 0;
      if (answer.ok() || unknown > UNKNOWN_TRIES || over) {
        return;
      }
      rest(AGAIN_MS);
    }
  }

  /// Delivers all of them at the same moment.
  void deliver(List<Gateway.Payment> payments) {
    List<Thread> all = new ArrayList<>();
    for (Gateway.Payment payment : payments) {
      all.add(Thread.startVirtualThread(() -> deliver(payment)));
    }
    for (Thread one : all) {
      try {
        one.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /// Sends one callback for an order that does not exist yet.
  void early(Gateway.Invoice bill) {
    int tail = bill.order().lastIndexOf('_') + 1;
    String next =
        bill.order().substring(0, tail) + new StringBuilder(bill.order().substring(tail)).reverse();
    Answer _ =
        send(
            new Gateway.Payment(
                "early_" + bill.order(), next, bill.amount(), bill.currency(), PaymentCase.EARLY),
            secret,
            CallType.EARLY);
  }

  /// Says that a bill was paid, without the secret.
  void forge(Gateway.Invoice bill) {
    Gateway.Payment never =
        new Gateway.Payment(
            "forged_" + bill.order(),
            bill.order(),
            bill.amount(),
            bill.currency(),
            PaymentCase.FORGED);
    Answer _ =
        send(
            never, "nobody who knows the secret".getBytes(StandardCharsets.UTF_8), CallType.FORGED);
  }

  private Answer send(Gateway.Payment payment, byte[] key, CallType act) {
    byte[] body =
        JsonNodeFactory.instance
            .objectNode()
            .put("type", "payment.paid")
            .<ObjectNode>set(
                "data",
                JsonNodeFactory.instance
                    .objectNode()
                    .put("order_id", payment.order())
                    .put("payment_id", payment.id())
                    .put("amount", payment.amount())
                    .put("currency", payment.currency()))
            .toString()
            .getBytes(StandardCharsets.UTF_8);
    RecordedCall like = RecordedCall.about(act, "", payment.id(), payment.order());
    int port = doors.any(ThreadLocalRandom.current());
    return line.post(port, PATH, signed("msg_" + payment.id(), body, key), body, like);
  }

  private static Map<String, String> signed(String id, byte[] body, byte[] key) {
    String seconds = Long.toString(System.currentTimeMillis() / 1000);
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update((id + '.' + seconds + '.').getBytes(StandardCharsets.UTF_8));
      String signature = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
      return Map.of("webhook-id", id, "webhook-timestamp", seconds, "webhook-signature", signature);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("HMAC-SHA256 is missing from this Java", e);
    }
  }
}
