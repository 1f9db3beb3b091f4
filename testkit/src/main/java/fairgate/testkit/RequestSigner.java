package fairgate.testkit;

import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// A client that signs its requests by RFC 9421 with HMAC-SHA256, implemented independently of the
/// server. Tests of refusals can alter its signed content and its claims.
public final class RequestSigner {
  private final String keyId;
  private final byte[] secret;
  private final Clock clock;

  /// @param secret base64
  public RequestSigner(String keyId, String secret, Clock clock) {
    this.keyId = keyId;
    this.secret = Base64.getDecoder().decode(secret);
    this.clock = clock;
  }

  /// A request to be signed.
  public static final class Draft {
    final String method;
    final URI uri;
    final byte[] body;
    final Map<String, String> headers = new LinkedHashMap<>();
    final Map<String, String> params = new LinkedHashMap<>();
    @Nullable List<String> components;

    private Draft(String method, URI uri, byte[] body) {
      this.method = method;
      this.uri = uri;
      this.body = body;
    }

    /// Sends a header.
    public Draft header(String name, String value) {
      headers.put(name.toLowerCase(Locale.ROOT), value);
      return this;
    }

    /// Signs these components instead of all that should be.
    public Draft signing(String... names) {
      components = List.of(names);
      return this;
    }

    /// Writes a parameter otherwise, as it stands after the `=`; empty leaves it out.
    public Draft param(String name, String written) {
      params.put(name, written);
      return this;
    }
  }

  /// A request without a header but those of the signature.
  public static Draft draft(String method, URI uri, String body) {
    return new Draft(method, uri, body.getBytes(StandardCharsets.UTF_8));
  }

  /// Signs the request; the headers to send with it, those of the draft included.
  public Map<String, String> sign(Draft draft) {
    Map<String, String> headers = new LinkedHashMap<>(draft.headers);
    if (draft.body.length > 0) {
      headers.putIfAbsent("content-digest", "sha-256=:" + base64(sha256(draft.body)) + ":");
    }
    List<String> components = draft.components == null ? all(draft, headers) : draft.components;
    String params =
        components.stream().map(name -> '"' + name + '"').collect(Collectors.joining(" ", "(", ")"))
            + params(draft);
    StringBuilder base = new StringBuilder();
    for (String name : components) {
      base.append('"').append(name).append("\": ").append(value(draft, headers, name)).append('\n');
    }
    base.append("\"@signature-params\": ").append(params);
    headers.put("signature-input", "fg=" + params);
    headers.put("signature", "fg=:" + base64(mac(base.toString())) + ":");
    return headers;
  }

  /// Signs the request; the request itself.
  public HttpRequest request(Draft draft) {
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(draft.uri)
            .method(
                draft.method,
                draft.body.length == 0
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofByteArray(draft.body));
    sign(draft).forEach(builder::header);
    return builder.build();
  }

  private String params(Draft draft) {
    long now = clock.instant().getEpochSecond();
    Map<String, String> params = new LinkedHashMap<>();
    params.put("created", Long.toString(now));
    params.put("expires", Long.toString(now + 60));
    params.put("nonce", '"' + UUID.randomUUID().toString() + '"');
    params.put("keyid", '"' + keyId + '"');
    params.put("alg", "\"hmac-sha256\"");
    params.put("tag", "\"fairgate\"");
    params.putAll(draft.params);
    return params.entrySet().stream()
        .filter(param -> !param.getValue().isEmpty())
        .map(param -> ';' + param.getKey() + '=' + param.getValue())
        .collect(Collectors.joining());
  }

  private static List<String> all(Draft draft, Map<String, String> headers) {
    List<String> all = new ArrayList<>(List.of("@method", "@authority", "@path"));
    if (draft.uri.getRawQuery() != null) {
      all.add("@query");
    }
    all.addAll(headers.keySet());
    return all;
  }

  private static String value(Draft draft, Map<String, String> headers, String name) {
    return switch (name) {
      case "@method" -> draft.method;
      case "@authority" -> draft.uri.getRawAuthority().toLowerCase(Locale.ROOT);
      case "@path" -> draft.uri.getRawPath();
      case "@query" -> '?' + (draft.uri.getRawQuery() == null ? "" : draft.uri.getRawQuery());
      default -> headers.getOrDefault(name, "");
    };
  }

  private byte[] mac(String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }
}
