package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.crowd.Answer;
import fairgate.crowd.Cookies;
import fairgate.crowd.CrowdClient;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The client of a visitor: an address, and cookies if it keeps them. Bots may share one.
final class Browser {
  private static final long TIMEOUT_MS = 15_000;

  private final CrowdClient http;
  private final Target target;
  private final Tally tally;
  private final String address;
  private final boolean keepsCookies;
  private final Device.Client client;
  private final @Nullable DeviceKey key;
  private final Cookies cookies = new Cookies();
  private volatile String account = "";

  /// @param address sent as `X-Forwarded-For`; empty to send none
  Browser(CrowdClient http, Target target, Tally tally, String address, boolean keepsCookies) {
    this(http, target, tally, address, keepsCookies, Device.Client.PLAIN, null);
  }

  /// @param key signs joins and purchases; null to prove nothing
  Browser(
      CrowdClient http,
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
    program.cookies.keep(cookies);
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
    RequestOptions request =
        new RequestOptions()
            .setMethod(method)
            .setSsl(target.tls())
            .setHost(target.host())
            .setPort(target.port())
            .setURI(path)
            .setTimeout(TIMEOUT_MS)
            .putHeader("User-Agent", client.agent());
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
    cookies.send(request);
    return http.call(
            request,
            body,
            2 * TIMEOUT_MS,
            response -> {
              if (keepsCookies) {
                cookies.keep(response, "");
              }
            })
        .onSuccess(answer -> tally.called(kind, answer, System.nanoTime() - sent));
  }

  /// Whether it sends the cookies that it was given.
  boolean keepsCookies() {
    return keepsCookies;
  }
}
