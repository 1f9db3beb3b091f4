package fairgate.account.message;

import fairgate.kernel.WebhookSignature;
import fairgate.platform.http.HttpPost;
import fairgate.platform.json.JsonText;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;

/// Sends messages to any gateway as a `POST` signed by Standard Webhooks. `webhook-id` is the id of
/// the message, the same in every try; a gateway that has accepted it must not deliver it again.
record WebhookSender(URI address, WebhookSignature signature, HttpPost http)
    implements MessageSender {
  @Override
  public Result send(OutgoingMessage message) {
    byte[] body = body(message);
    Map<String, String> headers = new HashMap<>(signature.sign(message.id(), body));
    headers.put("content-type", "application/json");
    return GatewayAnswers.judge(http.send(address, headers, body));
  }

  private static byte[] body(OutgoingMessage message) {
    JsonText data =
        JsonText.object()
            .put("channel", message.channel().wireName())
            .put("to", message.to())
            .put("text", message.text());
    if (message.channel() == Channel.EMAIL) {
      data.put("subject", message.subject());
    }
    switch (message.content()) {
      case OutgoingMessage.Content.Code(var purpose, String code) ->
          data.put("purpose", purpose.wireName()).put("code", code);
      case OutgoingMessage.Content.Text _ -> data.put("purpose", "receipt");
    }
    return JsonText.object()
        .put("type", "message.send")
        .put(
            "data",
            data.put("language", message.language().tag())
                .put("expires_at", message.expiresAt().toString()))
        .bytes();
  }

  @Override
  public void close() {
    http.close();
  }
}
