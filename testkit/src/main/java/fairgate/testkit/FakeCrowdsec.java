package fairgate.testkit;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The local API of CrowdSec on loopback, as bouncers see it: `GET /v1/decisions/stream`. With
/// `startup=true` it returns all decisions, otherwise those that were added or deleted since this
/// key's last call; with a wrong `X-Api-Key` it answers 403.
public final class FakeCrowdsec implements AutoCloseable {
  /// The key of the only bouncer.
  public static final String KEY = "bouncer-key-of-the-testkit";

  private final ObjectMapper mapper = new ObjectMapper();
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicInteger ids = new AtomicInteger();
  private final AtomicInteger asked = new AtomicInteger();
  private final Map<String, Map<String, Object>> active = new LinkedHashMap<>();
  private final List<Map<String, Object>> fresh = new ArrayList<>();
  private final List<Map<String, Object>> deleted = new ArrayList<>();
  private @Nullable String trouble;

  private FakeCrowdsec(HttpServer server) {
    this.server = server;
  }

  /// Starts on a free port of loopback, with no decisions.
  public static FakeCrowdsec start() {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      FakeCrowdsec fake = new FakeCrowdsec(server);
      server.createContext("/v1/decisions/stream", fake::serve);
      server.setExecutor(fake.threads);
      server.start();
      return fake;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The base address, without `/v1`.
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /// Decides.
  ///
  /// @param scope `Ip`, `Range`, `AS`, ...
  /// @param type `ban`, `captcha`, ...
  /// @param duration as Go writes it, such as `3h59m12.5s`
  public synchronized void decide(String scope, String value, String type, String duration) {
    Map<String, Object> decision = new LinkedHashMap<>();
    decision.put("id", ids.incrementAndGet());
    decision.put("origin", "cscli");
    decision.put("type", type);
    decision.put("scope", scope);
    decision.put("value", value);
    decision.put("duration", duration);
    decision.put("scenario", "manual '" + type + "' from 'testkit'");
    active.put(scope + " " + value, decision);
    fresh.add(decision);
  }

  /// Takes a decision back.
  public synchronized void delete(String scope, String value) {
    Map<String, Object> decision = active.remove(scope + " " + value);
    if (decision == null) {
      throw new IllegalArgumentException("no decision on " + value);
    }
    Map<String, Object> over = new LinkedHashMap<>(decision);
    // The real API reports expired decisions like this.
    over.put("duration", "-1.5s");
    fresh.remove(decision);
    deleted.add(over);
  }

  /// From now on every answer is this, with status 200; null ends it. An empty text is a 500.
  public synchronized void answer(@Nullable String body) {
    trouble = body;
  }

  /// How many questions with a good key came.
  public int asked() {
    return asked.get();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!KEY.equals(exchange.getRequestHeaders().getFirst("X-Api-Key"))) {
        send(exchange, 403, "{\"message\":\"access forbidden\"}");
        return;
      }
      String query = String.valueOf(exchange.getRequestURI().getQuery());
      String body = reply(query.contains("startup=true"));
      send(exchange, body.isEmpty() ? 500 : 200, body);
    }
  }

  private synchronized String reply(boolean startup) throws IOException {
    int _ = asked.incrementAndGet();
    if (trouble != null) {
      return trouble;
    }
    Map<String, @Nullable Object> reply = new LinkedHashMap<>();
    List<Map<String, Object>> news = List.copyOf(startup ? active.values() : fresh);
    // The real API returns null instead of an empty list.
    reply.put("new", news.isEmpty() ? null : news);
    reply.put("deleted", deleted.isEmpty() ? null : List.copyOf(deleted));
    fresh.clear();
    deleted.clear();
    return mapper.writeValueAsString(reply);
  }

  private static void send(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
