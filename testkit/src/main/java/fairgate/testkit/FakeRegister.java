package fairgate.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/// A register of persons on loopback that speaks Standard Webhooks and refuses calls that are not
/// signed.
public final class FakeRegister implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpServer server;
  private final byte[] secret;
  private final Map<String, String> names = new ConcurrentHashMap<>();
  private final AtomicInteger calls = new AtomicInteger();
  private volatile String broken = "";

  private FakeRegister(HttpServer server, byte[] secret) {
    this.server = server;
    this.secret = secret.clone();
  }

  /// Starts on a free loopback port.
  ///
  /// @param secret `whsec_` and base64
  public static FakeRegister start(String secret) {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      FakeRegister register =
          new FakeRegister(server, Base64.getDecoder().decode(secret.substring("whsec_".length())));
      server.createContext("/check", register::serve);
      server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
      server.start();
      return register;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/check";
  }

  /// Adds a person.
  public void person(String idNumber, String name) {
    names.put(idNumber, name);
  }

  /// From now on it answers this instead of a result; empty makes it well again.
  public void broken(String body) {
    broken = body;
  }

  /// The number of calls so far.
  public int calls() {
    return calls.get();
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      int _ = calls.incrementAndGet();
      if (!isSigned(exchange, body)) {
        exchange.sendResponseHeaders(401, -1);
        return;
      }
      JsonNode data = JSON.readTree(body).path("data");
      String name = names.get(data.path("id_number").asText());
      String result =
          name == null
              ? "unknown"
              : name.equals(data.path("name").asText()) ? "matches" : "differs";
      String answer = broken.isEmpty() ? "{\"result\":\"" + result + "\"}" : broken;
      byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private boolean isSigned(HttpExchange exchange, String body) {
    String id = String.valueOf(exchange.getRequestHeaders().getFirst("webhook-id"));
    String time = String.valueOf(exchange.getRequestHeaders().getFirst("webhook-timestamp"));
    return time.matches("[0-9]{1,12}")
        && FakeGateway.signature(secret, id, Long.parseLong(time), body)
            .equals(exchange.getRequestHeaders().getFirst("webhook-signature"));
  }
}
