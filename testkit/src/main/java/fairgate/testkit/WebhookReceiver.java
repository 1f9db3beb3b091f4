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
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// Receives webhooks on loopback as the Standard Webhooks specification requires: it checks the
/// signature over the raw bytes and the age, in constant time, and answers 401 to anything else. It
/// can be set to misbehave.
public final class WebhookReceiver implements AutoCloseable {
  /// The reply to a message with a valid signature.
  public enum Behavior {
    /// 204.
    WELL,
    /// 500.
    BROKEN,
    /// 503 with `Retry-After: 3600`.
    BUSY,
    /// 302 to itself.
    ELSEWHERE,
    /// 410.
    GONE,
    /// No answer while it lives.
    ASLEEP
  }

  /// One message as it arrived, whatever it was answered.
  public record Message(String id, boolean genuine, String type, JsonNode data, String body) {}

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long TOLERANCE_S = 300;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final byte[] secret;
  private final Clock clock;
  private final List<Message> messages = new CopyOnWriteArrayList<>();
  private final CountDownLatch closing = new CountDownLatch(1);
  private volatile Behavior mood = Behavior.WELL;

  private WebhookReceiver(HttpServer server, byte[] secret, Clock clock) {
    this.server = server;
    this.secret = secret.clone();
    this.clock = clock;
  }

  /// Starts on a free loopback port.
  ///
  /// @param secret `whsec_` and base64
  public static WebhookReceiver start(String secret, Clock clock) {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      byte[] key = Base64.getDecoder().decode(secret.substring("whsec_".length()));
      WebhookReceiver receiver = new WebhookReceiver(server, key, clock);
      server.createContext("/hook", receiver::serve);
      server.setExecutor(receiver.threads);
      server.start();
      return receiver;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/hook";
  }

  /// From now on it answers so.
  public void mood(Behavior next) {
    mood = next;
  }

  /// All messages so far, repeats included.
  public List<Message> messages() {
    return List.copyOf(messages);
  }

  @Override
  public void close() {
    closing.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  private void serve(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    boolean genuine = isGenuine(exchange, body);
    JsonNode json = JSON.readTree(body);
    messages.add(
        new Message(
            String.valueOf(header(exchange, "webhook-id")),
            genuine,
            json.path("type").asText(),
            json.path("data"),
            new String(body, StandardCharsets.UTF_8)));
    answer(exchange, genuine ? mood : null);
    exchange.close();
  }

  /// @param how null for an invalid message
  private void answer(HttpExchange exchange, @Nullable Behavior how) throws IOException {
    int status =
        switch (how) {
          case null -> 401;
          case WELL -> 204;
          case BROKEN -> 500;
          case BUSY -> {
            exchange.getResponseHeaders().set("retry-after", "3600");
            yield 503;
          }
          case ELSEWHERE -> {
            exchange.getResponseHeaders().set("location", url());
            yield 302;
          }
          case GONE -> 410;
          case ASLEEP -> {
            sleep();
            yield 500;
          }
        };
    exchange.sendResponseHeaders(status, -1);
  }

  private void sleep() {
    try {
      boolean _ = closing.await(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isGenuine(HttpExchange exchange, byte[] body) {
    String id = header(exchange, "webhook-id");
    String time = header(exchange, "webhook-timestamp");
    String given = header(exchange, "webhook-signature");
    if (id == null || time == null || given == null || !time.matches("[0-9]{1,12}")) {
      return false;
    }
    long age = clock.instant().getEpochSecond() - Long.parseLong(time);
    byte[] right =
        ("v1," + Base64.getEncoder().encodeToString(mac(id + '.' + time + '.', body)))
            .getBytes(StandardCharsets.UTF_8);
    boolean found = false;
    for (String one : given.split(" ", -1)) {
      found |= MessageDigest.isEqual(right, one.getBytes(StandardCharsets.UTF_8));
    }
    return found && Math.abs(age) <= TOLERANCE_S;
  }

  private byte[] mac(String head, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      mac.update(head.getBytes(StandardCharsets.UTF_8));
      return mac.doFinal(body);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static @Nullable String header(HttpExchange exchange, String name) {
    return exchange.getRequestHeaders().getFirst(name);
  }
}
