package fairgate.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Cloudflare's siteverify on loopback: forms and JSON, tokens that count once, idempotency keys,
/// the three test secrets, and misbehaviour on demand.
public final class FakeTurnstile implements AutoCloseable {
  /// The secret that real tokens are verified with.
  public static final String SECRET = "0x4AAAAAAAfake-secret-of-the-testkit";

  /// The token of the test secrets.
  public static final String DUMMY_TOKEN = "XXXX.DUMMY.TOKEN.XXXX";

  private static final String TEST_SECRET = "x0000000000000000000000000000000AA";

  /// Connections that wait to be accepted: as many as a test opens at once.
  private static final int BACKLOG = 1_024;

  /// How one call goes wrong.
  public enum Fault {
    /// `success: false` with `internal-error`.
    INTERNAL_ERROR,
    /// Status 500 and a page of HTML.
    STATUS_500,
    /// Status 429.
    STATUS_429,
    /// Status 200, and the body is no JSON.
    MALFORMED,
    /// The connection ends in the middle of the body.
    CUT_OFF,
    /// No answer while the fake lives.
    SILENT,
    /// The head comes, the body never does.
    SILENT_BODY,
    /// A correct answer padded to a megabyte.
    HUGE
  }

  /// One call as it arrived.
  public record ReceivedCall(String contentType, Map<String, String> fields) {}

  private record Token(String hostname, String action, String cdata, Instant solved) {}

  private final ObjectMapper mapper = new ObjectMapper();
  private final Clock clock;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Map<String, Token> tokens = new ConcurrentHashMap<>();
  private final Map<String, Map<String, Object>> answers = new ConcurrentHashMap<>();
  private final Set<String> used = ConcurrentHashMap.newKeySet();
  private final List<ReceivedCall> calls = new CopyOnWriteArrayList<>();
  private final AtomicInteger issued = new AtomicInteger();
  private final Queue<Fault> troubles = new ArrayDeque<>();
  private @Nullable Fault lasting;
  private final Queue<List<String>> errors = new ArrayDeque<>();

  private FakeTurnstile(Clock clock, HttpServer server) {
    this.clock = clock;
    this.server = server;
  }

  /// Starts on a free port of loopback.
  public static FakeTurnstile start(Clock clock) {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
      FakeTurnstile fake = new FakeTurnstile(clock, server);
      server.createContext("/turnstile/v0/siteverify", fake::serve);
      server.setExecutor(fake.threads);
      server.start();
      return fake;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The base address, without a path.
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /// A token solved now on `shop.example` for `join`.
  public String issue() {
    return issue("shop.example", "join", clock.instant());
  }

  /// A token as the widget would give it.
  public String issue(String hostname, String action, Instant solved) {
    return issue(hostname, action, "", solved);
  }

  /// As `issue`, by a widget that was given session data.
  public String issue(String hostname, String action, String cdata, Instant solved) {
    String token = "0.fake-" + issued.incrementAndGet();
    tokens.put(token, new Token(hostname, action, cdata, solved));
    return token;
  }

  /// The next calls go wrong, one each.
  public synchronized void next(Fault... ones) {
    troubles.addAll(List.of(ones));
  }

  /// The next call is answered with these error codes.
  public synchronized void nextErrors(String... codes) {
    errors.add(List.of(codes));
  }

  /// Makes all calls fail in this way; null ends it.
  public synchronized void always(@Nullable Fault trouble) {
    lasting = trouble;
  }

  /// All calls so far.
  public List<ReceivedCall> calls() {
    return List.copyOf(calls);
  }

  @Override
  public void close() {
    closing.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  private void serve(HttpExchange exchange) throws IOException {
    Map<String, String> fields = fields(exchange);
    calls.add(new ReceivedCall(contentType(exchange), fields));
    Fault trouble = trouble();
    if (trouble == null) {
      reply(exchange, 200, mapper.writeValueAsBytes(verify(fields)));
      return;
    }
    switch (trouble) {
      case INTERNAL_ERROR ->
          reply(exchange, 200, mapper.writeValueAsBytes(refusal(List.of("internal-error"))));
      case STATUS_500 -> reply(exchange, 500, "<h1>error</h1>".getBytes(StandardCharsets.UTF_8));
      case STATUS_429 -> reply(exchange, 429, "slow down".getBytes(StandardCharsets.UTF_8));
      case MALFORMED -> reply(exchange, 200, "{\"success\": tr".getBytes(StandardCharsets.UTF_8));
      case CUT_OFF -> {
        exchange.sendResponseHeaders(200, 1000);
        exchange.getResponseBody().write("{\"success\": true".getBytes(StandardCharsets.UTF_8));
        exchange.getResponseBody().flush();
        exchange.close();
      }
      case SILENT -> waitForClose();
      case SILENT_BODY -> {
        exchange.sendResponseHeaders(200, 1000);
        exchange.getResponseBody().flush();
        waitForClose();
      }
      case HUGE -> {
        Map<String, Object> answer = new LinkedHashMap<>(verify(fields));
        answer.put("padding", "x".repeat(1 << 20));
        reply(exchange, 200, mapper.writeValueAsBytes(answer));
      }
    }
  }

  private synchronized @Nullable Fault trouble() {
    Fault next = troubles.poll();
    return next == null ? lasting : next;
  }

  private Map<String, Object> verify(Map<String, String> fields) {
    String secret = fields.getOrDefault("secret", "");
    String token = fields.getOrDefault("response", "");
    List<String> planned = planned();
    if (planned != null) {
      return refusal(planned);
    }
    if (secret.isEmpty()) {
      return refusal(List.of("missing-input-secret"));
    }
    if (secret.endsWith(TEST_SECRET)) {
      return verifyTest(secret.charAt(0), token);
    }
    if (!secret.equals(SECRET)) {
      return refusal(List.of("invalid-input-secret"));
    }
    if (token.isEmpty()) {
      return refusal(List.of("missing-input-response"));
    }
    String key = fields.get("idempotency_key");
    return key == null
        ? verifyReal(token)
        : answers.computeIfAbsent(key + ' ' + token, _ -> verifyReal(token));
  }

  private synchronized @Nullable List<String> planned() {
    return errors.poll();
  }

  private Map<String, Object> verifyTest(char kind, String token) {
    if (kind == '3') {
      return refusal(List.of("timeout-or-duplicate"));
    }
    return kind == '1' && token.equals(DUMMY_TOKEN)
        ? approval(new Token("example.com", "", "", clock.instant()))
        : refusal(List.of("invalid-input-response"));
  }

  private Map<String, Object> verifyReal(String token) {
    Token known = tokens.get(token);
    if (known == null) {
      return refusal(List.of("invalid-input-response"));
    }
    boolean first = used.add(token);
    boolean young = known.solved().isAfter(clock.instant().minusSeconds(300));
    return first && young ? approval(known) : refusal(List.of("timeout-or-duplicate"));
  }

  private static Map<String, Object> approval(Token token) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("success", true);
    answer.put("challenge_ts", token.solved().toString());
    answer.put("hostname", token.hostname());
    answer.put("error-codes", List.of());
    answer.put("action", token.action());
    answer.put("cdata", token.cdata());
    return answer;
  }

  private static Map<String, Object> refusal(List<String> codes) {
    return Map.of("success", false, "error-codes", codes, "messages", List.of());
  }

  private Map<String, String> fields(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    Map<String, String> fields = new LinkedHashMap<>();
    if (contentType(exchange).startsWith("application/json")) {
      JsonNode json = mapper.readTree(body);
      json.properties().forEach(field -> fields.put(field.getKey(), field.getValue().asText()));
      return fields;
    }
    for (String pair : new String(body, StandardCharsets.UTF_8).split("&", -1)) {
      String[] parts = pair.split("=", 2);
      if (parts.length == 2) {
        fields.put(decode(parts[0]), decode(parts[1]));
      }
    }
    return fields;
  }

  private void waitForClose() {
    try {
      closing.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void reply(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private static String contentType(HttpExchange exchange) {
    String type = exchange.getRequestHeaders().getFirst("Content-Type");
    return type == null ? "" : type;
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
