package fairgate.account.identity;

import fairgate.kernel.CircuitBreaker;
import fairgate.kernel.Ids;
import fairgate.kernel.WebhookSignature;
import fairgate.platform.http.HttpPost;
import fairgate.platform.http.HttpPost.Answer;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonSyntaxException;
import fairgate.platform.json.JsonText;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A register behind a `POST` signed by Standard Webhooks: `{"type": "person.check", "data":
/// {"name", "id_number"}}`, answered with `{"result": "matches" | "differs" | "unknown"}`. Every
/// other answer means unknown. Names and numbers are never logged.
final class WebhookRegister implements PersonRegister {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookRegister.class);
  private static final Duration TIME_LIMIT = Duration.ofSeconds(5);
  private static final Duration PROBE_PAUSE = Duration.ofSeconds(5);
  private static final int MAX_FAILURES = 5;

  private final URI address;
  private final WebhookSignature signature;
  private final Ids ids;
  private final HttpPost http;
  private final CircuitBreaker breaker =
      new CircuitBreaker(MAX_FAILURES, PROBE_PAUSE, System::nanoTime);

  WebhookRegister(URI address, WebhookSignature signature, Ids ids, HttpPost http) {
    this.address = address;
    this.signature = signature;
    this.ids = ids;
    this.http = http;
  }

  /// Connects to a register.
  ///
  /// @param secrets `whsec_` and base64, the newest first
  static WebhookRegister at(String url, List<String> secrets, Ids ids, Clock clock) {
    return new WebhookRegister(
        URI.create(url),
        new WebhookSignature(secrets, clock),
        ids,
        new HttpPost("person-register", TIME_LIMIT));
  }

  @Override
  public NameCheck checkName(String name, String idNumber) {
    if (!breaker.allows()) {
      return NameCheck.UNKNOWN;
    }
    byte[] body =
        JsonText.object()
            .put("type", "person.check")
            .put("data", JsonText.object().put("name", name).put("id_number", idNumber))
            .bytes();
    Map<String, String> headers = new HashMap<>(signature.sign("chk_" + ids.nonce(), body));
    headers.put("content-type", "application/json");
    return switch (http.send(address, headers, body)) {
      case Answer.Reply reply when reply.isSuccess() -> read(reply.body());
      case Answer.Reply reply -> failed("status " + reply.status());
      case Answer.NotReached(String reason) -> failed(reason);
      case Answer.NoReply(String reason) -> failed(reason);
    };
  }

  private NameCheck read(String body) {
    try {
      String result = String.valueOf(Json.parseObject(body).get("result"));
      NameCheck check =
          switch (result) {
            case "matches" -> NameCheck.MATCHES;
            case "differs" -> NameCheck.DIFFERS;
            case "unknown" -> NameCheck.UNKNOWN;
            default -> null;
          };
      if (check == null) {
        return failed("a reply without a known result");
      }
      if (breaker.succeeded()) {
        LOG.info("The register of persons answers again");
      }
      return check;
    } catch (JsonSyntaxException e) {
      return failed("a reply that is not JSON");
    }
  }

  private NameCheck failed(String reason) {
    if (breaker.failed()) {
      LOG.error(
          "The register of persons failed repeatedly; calls are suspended; reason={}", reason);
    } else {
      LOG.warn("A call to the register of persons failed; reason={}", reason);
    }
    return NameCheck.UNKNOWN;
  }

  @Override
  public void close() {
    http.close();
  }
}
