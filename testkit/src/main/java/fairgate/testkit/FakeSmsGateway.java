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
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// An SMS gateway on loopback. It speaks Standard Webhooks at `/send` and Twilio's API below
/// `/2010-04-01`, refuses calls that are not signed or authenticated, and delivers a webhook once
/// per `webhook-id`. It can be made broken, forgetful or silent.
public final class FakeSmsGateway implements AutoCloseable {
  /// The behaviour towards calls that are signed or authenticated.
  public enum Behavior {
    /// Delivers.
    WELL,
    /// Answers 503 and delivers nothing.
    BROKEN,
    /// Delivers, and answers 500.
    FORGETFUL,
    /// Answers 400, as for a number that does not exist.
    REFUSING,
    /// Does not answer while it lives, and delivers nothing.
    ASLEEP
  }

  /// An SMS on its way to a telephone.
  ///
  /// @param from the sender's number, name or messaging service; empty for webhooks
  public record Sms(String to, String text, String from) {}

  /// A call.
  ///
  /// @param id `webhook-id`; empty for calls of Twilio's API
  /// @param genuine whether it was signed or authenticated
  public record Call(String path, String id, boolean genuine, String body) {}

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long TOLERANCE_S = 300;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final byte[] secret;
  private final String twilio;
  private final Clock clock;
  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private final List<Sms> delivered = new CopyOnWriteArrayList<>();
  private final Set<String> ids = ConcurrentHashMap.newKeySet();
  private final CountDownLatch closing = new CountDownLatch(1);
  private volatile Behavior mood = Behavior.WELL;

  private FakeSmsGateway(HttpServer server, byte[] secret, String twilio, Clock clock) {
    this.server = server;
    this.secret = secret.clone();
    this.twilio = twilio;
    this.clock = clock;
  }

  /// Starts on a loopback port.
  ///
  /// @param port 0 takes a free one
  /// @param secret `whsec_` and base64
  /// @param twilio `account:token`
  public static FakeSmsGateway start(int port, String secret, String twilio, Clock clock) {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
      byte[] key = Base64.getDecoder().decode(secret.substring("whsec_".length()));
      FakeSmsGateway gateway = new FakeSmsGateway(server, key, twilio, clock);
      server.createContext("/send", gateway::webhook);
      server.createContext("/2010-04-01/", gateway::twilio);
      server.setExecutor(gateway.threads);
      server.start();
      return gateway;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return server.getAddress().getPort();
  }

  /// The address of Twilio's API.
  public String url() {
    return "http://127.0.0.1:" + port();
  }

  /// The address for webhooks.
  public String webhookUrl() {
    return url() + "/send";
  }

  /// From now on it answers so.
  public void mood(Behavior next) {
    mood = next;
  }

  /// All calls so far, repeats included.
  public List<Call> calls() {
    return List.copyOf(calls);
  }

  /// The messages that were delivered to telephones.
  public List<Sms> delivered() {
    return List.copyOf(delivered);
  }

  @Override
  public void close() {
    closing.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  private void webhook(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = body(exchange);
      String id = String.valueOf(exchange.getRequestHeaders().getFirst("webhook-id"));
      boolean genuine = isSigned(exchange, id, body);
      calls.add(new Call(exchange.getRequestURI().getPath(), id, genuine, body));
      if (!genuine) {
        respond(exchange, 401, "{}");
        return;
      }
      JsonNode data = JSON.readTree(body).path("data");
      answer(exchange, id, new Sms(data.path("to").asText(), data.path("text").asText(), ""), 204);
    }
  }

  private void twilio(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = body(exchange);
      String path = exchange.getRequestURI().getPath();
      String expected =
          "Basic " + Base64.getEncoder().encodeToString(twilio.getBytes(StandardCharsets.UTF_8));
      boolean genuine =
          expected.equals(exchange.getRequestHeaders().getFirst("authorization"))
              && path.equals(
                  "/2010-04-01/Accounts/" + twilio.replaceFirst(":.*", "") + "/Messages.json");
      calls.add(new Call(path, "", genuine, body));
      if (!genuine) {
        respond(exchange, 401, "{\"code\":20003}");
        return;
      }
      Map<String, String> form = form(body);
      String from = form.getOrDefault("From", form.getOrDefault("MessagingServiceSid", ""));
      answer(
          exchange,
          null,
          new Sms(form.getOrDefault("To", ""), form.getOrDefault("Body", ""), from),
          201);
    }
  }

  /// @param id null when the API has no idempotency key
  private void answer(HttpExchange exchange, @Nullable String id, Sms sms, int success)
      throws IOException {
    switch (mood) {
      case WELL -> {
        deliver(id, sms);
        respond(exchange, success, success == 204 ? "" : "{\"status\":\"queued\"}");
      }
      case FORGETFUL -> {
        deliver(id, sms);
        respond(exchange, 500, "{}");
      }
      case BROKEN -> respond(exchange, 503, "{}");
      case REFUSING -> respond(exchange, 400, "{\"code\":21211}");
      case ASLEEP -> sleep();
    }
  }

  private void deliver(@Nullable String id, Sms sms) {
    if (id == null || ids.add(id)) {
      delivered.add(sms);
    }
  }

  private void sleep() {
    try {
      boolean _ = closing.await(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isSigned(HttpExchange exchange, String id, String body) {
    String time = String.valueOf(exchange.getRequestHeaders().getFirst("webhook-timestamp"));
    String given = String.valueOf(exchange.getRequestHeaders().getFirst("webhook-signature"));
    if (!time.matches("[0-9]{1,12}")) {
      return false;
    }
    long second = Long.parseLong(time);
    Instant now = clock.instant();
    return Math.abs(now.getEpochSecond() - second) <= TOLERANCE_S
        && List.of(given.split(" ", -1)).contains(FakeGateway.signature(secret, id, second, body));
  }

  private static Map<String, String> form(String body) {
    Map<String, String> form = new HashMap<>();
    for (String pair : body.split("&", -1)) {
      int equals = pair.indexOf('=');
      form.put(
          pair.substring(0, equals),
          URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
    }
    return form;
  }

  private static String body(HttpExchange exchange) throws IOException {
    return new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static void respond(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("content-type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    if (bytes.length > 0) {
      exchange.getResponseBody().write(bytes);
    }
  }
}
