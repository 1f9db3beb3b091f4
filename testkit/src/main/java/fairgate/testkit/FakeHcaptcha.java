package fairgate.testkit;

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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// hCaptcha's siteverify on loopback: forms only, tokens that count once and for two minutes, the
/// published test keys, and error codes on demand.
public final class FakeHcaptcha implements AutoCloseable {
  /// The site key and secret that belong together.
  public static final String SITE_KEY = "9a7b1b1e-0000-4000-8000-fake00000001";

  public static final String SECRET = "ES_fake-secret-of-the-testkit";

  /// The published keys that let everybody pass.
  public static final String TEST_SITE_KEY = "10000000-ffff-ffff-ffff-000000000001";

  public static final String TEST_SECRET = "0x0000000000000000000000000000000000000000";
  public static final String TEST_TOKEN = "10000000-aaaa-bbbb-cccc-000000000001";

  private static final int LIFE_SECONDS = 120;

  private record Token(String hostname, Instant solved) {}

  private final ObjectMapper mapper = new ObjectMapper();
  private final Clock clock;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Token> tokens = new ConcurrentHashMap<>();
  private final Set<String> used = ConcurrentHashMap.newKeySet();
  private final List<Map<String, String>> calls = new CopyOnWriteArrayList<>();
  private final AtomicInteger issued = new AtomicInteger();
  private final Queue<List<String>> errors = new ArrayDeque<>();
  private volatile boolean broken;

  private FakeHcaptcha(Clock clock, HttpServer server) {
    this.clock = clock;
    this.server = server;
  }

  /// Starts on a free port of loopback.
  public static FakeHcaptcha start(Clock clock) {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      FakeHcaptcha fake = new FakeHcaptcha(clock, server);
      server.createContext("/siteverify", fake::serve);
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

  /// A token solved now on `shop.example`.
  public String issue() {
    return issue("shop.example", clock.instant());
  }

  /// A token as the widget would give it.
  public String issue(String hostname, Instant solved) {
    String token = "P1_fake-" + issued.incrementAndGet();
    tokens.put(token, new Token(hostname, solved));
    return token;
  }

  /// The next call is answered with these error codes.
  public synchronized void nextErrors(String... codes) {
    errors.add(List.of(codes));
  }

  /// From now on every call fails with status 503, or none does.
  public void breakDown(boolean failing) {
    broken = failing;
  }

  /// The fields of all calls so far.
  public List<Map<String, String>> calls() {
    return List.copyOf(calls);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void serve(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    String type = String.valueOf(exchange.getRequestHeaders().getFirst("Content-Type"));
    Map<String, String> fields =
        type.startsWith("application/x-www-form-urlencoded")
            ? form(new String(body, StandardCharsets.UTF_8))
            : Map.of();
    calls.add(fields);
    byte[] answer =
        mapper.writeValueAsBytes(fields.isEmpty() ? refusal("bad-request") : judge(fields));
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(broken ? 503 : 200, answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
  }

  private Map<String, Object> judge(Map<String, String> fields) {
    List<String> planned = planned();
    if (planned != null) {
      return refusal(planned.toArray(String[]::new));
    }
    String secret = fields.getOrDefault("secret", "");
    String token = fields.getOrDefault("response", "");
    String siteKey = fields.getOrDefault("sitekey", "");
    if (secret.isEmpty()) {
      return refusal("missing-input-secret");
    }
    if (secret.equals(TEST_SECRET)) {
      return token.equals(TEST_TOKEN)
          ? approval(new Token("dummy-key-pass", clock.instant()))
          : refusal("not-using-dummy-passcode");
    }
    if (!secret.equals(SECRET)) {
      return refusal("invalid-input-secret");
    }
    if (!siteKey.isEmpty() && !siteKey.equals(SITE_KEY)) {
      return refusal("sitekey-secret-mismatch");
    }
    return token.isEmpty() ? refusal("missing-input-response") : judge(token);
  }

  private Map<String, Object> judge(String token) {
    Token known = tokens.get(token);
    if (known == null) {
      return refusal("invalid-input-response");
    }
    if (!used.add(token)) {
      return refusal("already-seen-response");
    }
    return known.solved().isBefore(clock.instant().minusSeconds(LIFE_SECONDS))
        ? refusal("expired-input-response")
        : approval(known);
  }

  private synchronized @Nullable List<String> planned() {
    return errors.poll();
  }

  private static Map<String, Object> approval(Token token) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("success", true);
    answer.put("challenge_ts", token.solved().toString());
    answer.put("hostname", token.hostname());
    answer.put("credit", false);
    return answer;
  }

  private static Map<String, Object> refusal(String... codes) {
    return Map.of("success", false, "error-codes", List.of(codes));
  }

  private static Map<String, String> form(String body) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (String pair : body.split("&", -1)) {
      String[] parts = pair.split("=", 2);
      if (parts.length == 2) {
        fields.put(decode(parts[0]), decode(parts[1]));
      }
    }
    return fields;
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
