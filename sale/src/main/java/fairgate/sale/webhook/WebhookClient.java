package fairgate.sale.webhook;

import fairgate.kernel.WebhookSignature;
import fairgate.platform.http.HttpPost;
import fairgate.platform.http.HttpPost.Answer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/// Sends signed messages to the configured address. Blocks up to the time limit; follows no
/// redirects and reads only the status of the reply.
final class WebhookClient implements AutoCloseable {
  private static final int GONE = 410;

  private final HttpPost http;
  private final URI address;
  private final WebhookSignature signature;

  WebhookClient(URI address, WebhookSignature signature, Duration timeLimit) {
    this.address = address;
    this.signature = signature;
    this.http = new HttpPost("webhook", timeLimit);
  }

  sealed interface Delivery {
    /// A short description, for the table.
    String answer();

    record Accepted(String answer) implements Delivery {}

    /// It is unknown whether the message was accepted; it must be sent again.
    ///
    /// @param after minimum pause that the receiver requests; zero for none
    record RetryLater(String answer, Duration after) implements Delivery {}

    record Gone(String answer) implements Delivery {}
  }

  Delivery send(String id, String body) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    Map<String, String> headers = new HashMap<>(signature.sign(id, bytes));
    headers.put("content-type", "application/json");
    return switch (http.send(address, headers, bytes)) {
      case Answer.Reply reply -> judge(reply);
      case Answer.NotReached(String reason) -> new Delivery.RetryLater(reason, Duration.ZERO);
      case Answer.NoReply(String reason) -> new Delivery.RetryLater(reason, Duration.ZERO);
    };
  }

  private static Delivery judge(Answer.Reply reply) {
    String answer = "status " + reply.status();
    if (reply.isSuccess()) {
      return new Delivery.Accepted(answer);
    }
    return reply.status() == GONE
        ? new Delivery.Gone(answer)
        : new Delivery.RetryLater(answer, reply.retryAfter());
  }

  @Override
  public void close() {
    http.close();
  }
}
