package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import fairgate.crowd.Answer;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The client of a visitor: an address, and cookies if it keeps them. Bots may share one.
final class Browser {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long TIMEOUT_MS = 15_000;

  private final HttpClient http;
  private final Target target;
  private final Tally tally;
  private final String address;
  private final boolean keepsCookies;
  private final Device.Client client;
  private final @Nullable DeviceKey key;
  private final Map<String, String> cookies = new ConcurrentSkipListMap<>();
  private volatile String account = "";

  /// @param address sent as `X-Forwarded-For`; empty to send none
  Browser(HttpClient http, Target target, Tally tally, String address, boolean keepsCookies) {
    this(http, target, tally, address, keepsCookies, Device.Client.PLAIN, null);
  }

  /// @param key signs joins and purchases; null to prove nothing
  Browser(
      HttpClient http,
      Target target,
      Tally tally,
      String address,
      boolean keepsCookies,
      Device.Client client,
      @Nullable DeviceKey key) {
    this.http = http;
    this.target = target;
    this.tally = tally;
    this.address = address;
    this.keepsCookies = keepsCookies;
    this.client = client;
    this.key = key;
  }

  /// A program that goes on with the cookies and the account of this browser, at its address. It
  /// cannot take the key along.
  Browser handedTo(Device.Client other) {
    Browser program = new Browser(http, target, tally, address, keepsCookies, other, null);
    program.cookies.putAll(cookies);
    program.account = account;
    return program;
  }

  /// The header with the proof of the device key for a POST; empty without a key.
  Map<String, String> proof(String path, Map<String, String> claims) {
    return key == null ? Map.of() : Map.of("DPoP", key.proof(path, claims));
  }

  /// Sends further calls for an account.
  ///
  /// @param token of its session; empty for a guest
  void signIn(String token) {
    account = token;
  }

  Future<Answer> get(Call kind, String path, Map<String, String> headers) {
    return call(kind, HttpMethod.GET, path, headers, null);
  }

  Future<Answer> post(Call kind, String path, Map<String, String> headers, JsonNode body) {
    Map<String, String> all = new HashMap<>(headers);
    all.put("Content-Type", "application/json");
    return call(kind, HttpMethod.POST, path, all, Buffer.buffer(body.toString()));
  }

  /// Sends the form of a page.
  Future<Answer> form(Call kind, String path, String field, String value) {
    String encoded = field + '=' + URLEncoder.encode(value, StandardCharsets.UTF_8);
    Map<String, String> headers =
        Map.of(
            "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin");
    return call(kind, HttpMethod.POST, path, headers, Buffer.buffer(encoded));
  }

  private Future<Answer> call(
      Call kind,
      HttpMethod method,
      String path,
      Map<String, String> headers,
      @Nullable Buffer body) {
    long sent = System.nanoTime();
    RequestOptions options =
        new RequestOptions()
            .setMethod(method)
            .setSsl(target.tls())
            .setHost(target.host())
            .setPort(target.port())
            .setURI(path)
            .setTimeout(TIMEOUT_MS);
    // Whoever calls when all is over gets no answer, rather than an exception.
    return Future.succeededFuture(options)
        .compose(http::request)
        .compose(request -> send(request, headers, body).compose(this::answer))
        .timeout(2 * TIMEOUT_MS, TimeUnit.MILLISECONDS)
        .otherwise(_ -> new Answer(0, MissingNode.getInstance()))
        .onSuccess(answer -> tally.called(kind, answer, System.nanoTime() - sent));
  }

  private Future<HttpClientResponse> send(
      HttpClientRequest request, Map<String, String> headers, @Nullable Buffer body) {
    request.putHeader("User-Agent", client.agent());
    if (client.sendsLanguage()) {
      request.putHeader("Accept-Language", "zh-TW,zh;q=0.9");
    }
    if (client.sendsFetchMetadata()) {
      request
          .putHeader("Sec-Fetch-Site", "same-origin")
          .putHeader("Sec-Fetch-Mode", "cors")
          .putHeader("Sec-Fetch-Dest", "empty");
    }
    if (client.usesHttps()) {
      request.putHeader("X-Forwarded-Proto", "https");
    }
    headers.forEach(request::putHeader);
    if (!address.isEmpty()) {
      request.putHeader("X-Forwarded-For", address);
    }
    if (!account.isEmpty()) {
      request.putHeader("Authorization", "Bearer " + account);
    }
    if (!cookies.isEmpty()) {
      request.putHeader(
          "Cookie",
          cookies.entrySet().stream()
              .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
              .collect(Collectors.joining("; ")));
    }
    return body == null ? request.send() : request.send(body);
  }

  /// Whether it sends the cookies that it was given.
  boolean keepsCookies() {
    return keepsCookies;
  }

  private Future<Answer> answer(HttpClientResponse response) {
    if (keepsCookies) {
      keep(response.cookies());
    }
    return response.body().map(bytes -> new Answer(response.statusCode(), parse(bytes)));
  }

  private void keep(List<String> set) {
    for (String cookie : set) {
      int equals = cookie.indexOf('=');
      int end = cookie.indexOf(';');
      if (equals > 0) {
        cookies.put(
            cookie.substring(0, equals),
            cookie.substring(equals + 1, end < 0 ? cookie.length() : end));
      }
    }
  }

  private static JsonNode parse(Buffer bytes) {
    try {
      return JSON.readTree(bytes.getBytes());
    } catch (IOException notJson) {
      return MissingNode.getInstance();
    }
  }
}
