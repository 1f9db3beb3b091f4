package fairgate.sale.payment;

import fairgate.platform.http.HttpCalls;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// Calls to payment providers. Blocks up to the time limit; follows no redirects and reads at most
/// 64 KiB.
final class ProviderHttp implements AutoCloseable {
  private static final long LONGEST_ANSWER = 64 * 1024;

  private final HttpCalls http;
  private final ProviderHealth health;

  /// @param timeLimit timeout of a call, including a slow body
  /// @param health learns of the outcome of each call
  ProviderHttp(Duration timeLimit, ProviderHealth health) {
    this.health = health;
    this.http = new HttpCalls("payment", timeLimit, LONGEST_ANSWER);
  }

  /// There was no usable reply: the call may or may not have had its effect.
  static final class NoAnswer extends Exception {
    private static final long serialVersionUID = 1L;

    NoAnswer(String reason) {
      super(reason, null, false, false);
    }

    /// The reason, for logs and operators.
    String reason() {
      return String.valueOf(getMessage());
    }
  }

  /// A reply with any status.
  @SuppressWarnings("ArrayRecordComponent")
  record Answer(int status, byte[] body) {
    boolean isSuccess() {
      return status / 100 == 2;
    }

    /// Whether nobody can pay for now: the provider fails, is overloaded, or does not accept the
    /// account.
    boolean isFailure() {
      return status >= 500 || status == 401 || status == 429;
    }

    JsonObject json() throws NoAnswer {
      try {
        return Json.parseObject(body);
      } catch (JsonSyntaxException e) {
        throw new NoAnswer("the answer with status " + status + " is no JSON object");
      }
    }

    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  /// A request with the time limit.
  HttpRequest.Builder request(String url) {
    return http.request(url);
  }

  Answer send(HttpRequest.Builder request) throws NoAnswer {
    try {
      Answer answer = exchange(request);
      if (answer.isFailure()) {
        health.failed("status " + answer.status());
      } else {
        health.succeeded();
      }
      return answer;
    } catch (NoAnswer e) {
      health.failed(e.reason());
      throw e;
    }
  }

  private Answer exchange(HttpRequest.Builder request) throws NoAnswer {
    try {
      HttpResponse<byte[]> response = http.send(request);
      return new Answer(response.statusCode(), response.body());
    } catch (HttpCalls.NoReply e) {
      throw new NoAnswer(e.reason());
    }
  }

  @Override
  public void close() {
    http.close();
  }
}
