package fairgate.account.message;

import fairgate.platform.http.HttpPost;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

/// Sends SMS by the API of Twilio, which other gateways offer as well: `POST
/// /2010-04-01/Accounts/{sid}/Messages.json` with a form and Basic authentication. The API knows no
/// idempotency key, so a message whose reply was lost may be sent twice.
final class TwilioSender implements MessageSender {
  private static final String SERVICE_PREFIX = "MG";

  private final MessageConfig.Sender.Twilio config;
  private final HttpPost http;
  private final URI address;

  TwilioSender(MessageConfig.Sender.Twilio config, HttpPost http) {
    this.config = config;
    this.http = http;
    this.address =
        URI.create(
            config.url().replaceFirst("/+$", "")
                + "/2010-04-01/Accounts/"
                + encoded(config.account())
                + "/Messages.json");
  }

  @Override
  public Result send(OutgoingMessage message) {
    String from = config.from().startsWith(SERVICE_PREFIX) ? "MessagingServiceSid" : "From";
    String form =
        "To=%s&%s=%s&Body=%s"
            .formatted(
                encoded(message.to()), from, encoded(config.from()), encoded(message.text()));
    return GatewayAnswers.judge(
        http.send(
            address,
            Map.of(
                "content-type",
                "application/x-www-form-urlencoded",
                "accept",
                "application/json",
                "authorization",
                "Basic " + credentials()),
            form.getBytes(StandardCharsets.US_ASCII)));
  }

  private String credentials() {
    String pair = config.account() + ':' + config.token();
    return Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    http.close();
  }
}
