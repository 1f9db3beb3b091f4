package fairgate.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// A payment gateway on loopback that speaks Standard Webhooks, as real ones do: it decides for
/// every order whether payment or closing came first, gives money back once per key, and refuses
/// calls that are not signed. It can be made slow, broken or ignorant, and sends webhooks as often
/// and as late as a test likes.
public final class FakeGateway implements AutoCloseable {
  /// How the gateway behaves towards calls.
  public enum Behavior {
    /// Answers.
    WELL,
    /// Answers `unknown` and changes nothing.
    IGNORANT,
    /// Answers `refused` to refunds and changes nothing; closes orders.
    REFUSING,
    /// Answers with status 500 and changes nothing.
    BROKEN,
    /// Executes the call and answers with status 500.
    FORGETFUL,
    /// Does not answer before `wake`, nor before a minute has passed.
    ASLEEP
  }

  /// One call it received.
  public record ReceivedCall(String path, String webhookId, boolean signed, JsonNode body) {}

  /// One payment it has taken.
  public record Paid(String paymentId, long amount, String currency) {}

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Paid CLOSED = new Paid("", 0, "");

  private final HttpServer server;
  private final HttpClient client = HttpClient.newHttpClient();
  private final byte[] secret;
  private final Clock clock;
  private final List<ReceivedCall> calls = new CopyOnWriteArrayList<>();
  private final Map<String, Paid> ends = new ConcurrentHashMap<>();
  private final Map<String, JsonNode> refunds = new ConcurrentHashMap<>();
  private final CountDownLatch awake = new CountDownLatch(1);
  private volatile Behavior mood = Behavior.WELL;

  private FakeGateway(HttpServer server, byte[] secret, Clock clock) {
    this.server = server;
    this.secret = secret.clone();
    this.clock = clock;
  }

  /// Starts on a free loopback port.
  ///
  /// @param secret `whsec_` and base64, shared with the server under test
  public static FakeGateway start(String secret, Clock clock) {
    try {
      InetAddress loopback = InetAddress.getLoopbackAddress();
      HttpServer server = HttpServer.create(new InetSocketAddress(loopback, 0), 0);
      byte[] key = Base64.getDecoder().decode(secret.substring("whsec_".length()));
      FakeGateway gateway = new FakeGateway(server, key, clock);
      server.createContext("/close", exchange -> gateway.serve(exchange, gateway::close));
      server.createContext("/refund", exchange -> gateway.serve(exchange, gateway::refund));
      server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
      server.start();
      return gateway;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String closeUrl() {
    return url("/close");
  }

  public String refundUrl() {
    return url("/refund");
  }

  public void mood(Behavior now) {
    mood = now;
  }

  /// Lets calls go on that came while it was asleep.
  public void wake() {
    mood = Behavior.WELL;
    awake.countDown();
  }

  /// Simulates a payment by the buyer, without a callback. False if the order was closed or paid
  /// before.
  public boolean pay(String orderId, Paid paid) {
    return ends.putIfAbsent(orderId, paid) == null;
  }

  /// All calls so far, oldest first.
  public List<ReceivedCall> calls() {
    return List.copyOf(calls);
  }

  /// How often money was really given back: distinct keys.
  public int refundCount() {
    return refunds.size();
  }

  /// The refunds, by key.
  public Map<String, JsonNode> refunds() {
    return Map.copyOf(refunds);
  }

  /// Tells the server under test that an order was paid, and returns the status it answered with.
  public int tell(URI webhook, String orderId, Paid paid) {
    return send(
        webhook, "msg_" + UUID.randomUUID(), clock.instant().getEpochSecond(), paid(orderId, paid));
  }

  /// The body of a `payment.paid` message.
  public static String paid(String orderId, Paid paid) {
    ObjectNode message = JSON.createObjectNode().put("type", "payment.paid");
    ObjectNode data = message.putObject("data");
    data.put("order_id", orderId)
        .put("payment_id", paid.paymentId())
        .put("amount", paid.amount())
        .put("currency", paid.currency());
    return message.toString();
  }

  /// Sends any body, rightly signed for the id and time given.
  public int send(URI webhook, String id, long epochSecond, String body) {
    return sendSigned(webhook, id, epochSecond, signature(secret, id, epochSecond, body), body);
  }

  /// Sends any body with any signature header.
  public int sendSigned(
      URI webhook, String id, long epochSecond, @Nullable String signature, String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(webhook)
            .timeout(Duration.ofSeconds(20))
            .header("content-type", "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", Long.toString(epochSecond))
            .POST(HttpRequest.BodyPublishers.ofString(body));
    if (signature != null) {
      request.header("webhook-signature", signature);
    }
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.discarding()).statusCode();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /// `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.
  public static String signature(byte[] secret, String id, long epochSecond, String body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      String text = id + '.' + epochSecond + '.' + body;
      byte[] sum = mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
      return "v1," + Base64.getEncoder().encodeToString(sum);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    awake.countDown();
    server.stop(0);
    client.shutdownNow();
  }

  private interface Answer {
    ObjectNode to(JsonNode body);
  }

  private void serve(HttpExchange exchange, Answer answer) throws IOException {
    try (exchange) {
      String text = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      JsonNode body = JSON.readTree(text);
      boolean signed = signed(exchange, text);
      String id = String.valueOf(exchange.getRequestHeaders().getFirst("webhook-id"));
      calls.add(new ReceivedCall(exchange.getRequestURI().getPath(), id, signed, body));
      if (!signed) {
        respond(exchange, 401, JSON.createObjectNode());
        return;
      }
      switch (mood) {
        case WELL, REFUSING -> respond(exchange, 200, answer.to(body));
        case IGNORANT -> respond(exchange, 200, JSON.createObjectNode().put("status", "unknown"));
        case BROKEN -> respond(exchange, 500, JSON.createObjectNode());
        case FORGETFUL -> {
          ObjectNode forgotten = answer.to(body);
          respond(exchange, 500, forgotten.removeAll());
        }
        case ASLEEP -> {
          boolean woken = awake.await(1, TimeUnit.MINUTES);
          respond(exchange, woken ? 200 : 504, answer.to(body));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private ObjectNode close(JsonNode body) {
    String order = body.path("order_id").asText();
    Paid before = ends.putIfAbsent(order, CLOSED);
    if (before == null || before.equals(CLOSED)) {
      return JSON.createObjectNode().put("status", "closed");
    }
    return JSON.createObjectNode()
        .put("status", "paid")
        .put("payment_id", before.paymentId())
        .put("amount", before.amount())
        .put("currency", before.currency());
  }

  private ObjectNode refund(JsonNode body) {
    if (mood == Behavior.REFUSING) {
      return JSON.createObjectNode().put("status", "refused");
    }
    refunds.putIfAbsent(body.path("key").asText(), body);
    return JSON.createObjectNode().put("status", "refunded");
  }

  private boolean signed(HttpExchange exchange, String body) {
    String id = exchange.getRequestHeaders().getFirst("webhook-id");
    String time = exchange.getRequestHeaders().getFirst("webhook-timestamp");
    String given = exchange.getRequestHeaders().getFirst("webhook-signature");
    return id != null
        && time != null
        && signature(secret, id, Long.parseLong(time), body).equals(given);
  }

  private static void respond(HttpExchange exchange, int status, ObjectNode body)
      throws IOException {
    byte[] bytes = JSON.writeValueAsBytes(body);
    exchange.getResponseHeaders().set("content-type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private String url(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }
}
