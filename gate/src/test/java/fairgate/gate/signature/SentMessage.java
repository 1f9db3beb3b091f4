package fairgate.gate.signature;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.gate.signature.SignatureService.Message;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A hand-made request.
final class SentMessage implements Message {
  String method = "POST";
  String host = "shop.example";
  String target = "/api/purchase";
  byte[] body = {};
  final Map<String, List<String>> headers = new LinkedHashMap<>();

  @CanIgnoreReturnValue
  SentMessage header(String name, String value) {
    headers.computeIfAbsent(name.toLowerCase(Locale.ROOT), _ -> new ArrayList<>()).add(value);
    return this;
  }

  @CanIgnoreReturnValue
  SentMessage body(String text) {
    body = text.getBytes(StandardCharsets.UTF_8);
    return this;
  }

  @Override
  public String method() {
    return method;
  }

  @Override
  public String host() {
    return host;
  }

  @Override
  public String target() {
    return target;
  }

  @Override
  public List<String> headers(String name) {
    return headers.getOrDefault(name, List.of());
  }

  @Override
  public byte[] body() {
    return body;
  }
}
