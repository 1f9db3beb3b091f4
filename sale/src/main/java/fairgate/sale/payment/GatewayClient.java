package fairgate.sale.payment;

import fairgate.kernel.WebhookSignature;
import fairgate.platform.json.JsonObject;
import java.net.http.HttpRequest;
import java.time.Duration;

/// Sends signed JSON to a payment gateway and reads its JSON reply.
final class GatewayClient implements AutoCloseable {
  private final ProviderHttp http;
  private final WebhookSignature signature;

  GatewayClient(WebhookSignature signature, Duration timeLimit, ProviderHealth health) {
    this.signature = signature;
    this.http = new ProviderHttp(timeLimit, health);
  }

  /// @param id the message's id; the same for a repeat of the same call
  JsonObject post(String url, String id, byte[] json) throws ProviderHttp.NoAnswer {
    HttpRequest.Builder request =
        http.request(url)
            .header("content-type", "application/json")
            .header("idempotency-key", id)
            .POST(HttpRequest.BodyPublishers.ofByteArray(json));
    signature.sign(id, json).forEach(request::header);
    ProviderHttp.Answer answer = http.send(request);
    if (!answer.isSuccess()) {
      throw new ProviderHttp.NoAnswer("status " + answer.status());
    }
    return answer.json();
  }

  @Override
  public void close() {
    http.close();
  }
}
