package fairgate.testkit.line;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import fairgate.testkit.line.LineEvents.From;
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
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// The LINE platform on loopback. It signs and sends webhooks, hands out reply tokens that work
/// once and for a minute, takes replies and pushes, knows retry keys, and goes wrong on demand.
/// Bodies beyond LINE's limits are refused as LINE refuses them.
public final class FakeLine implements AutoCloseable {
  /// How long a reply token works.
  public static final Duration TOKEN_LIFE = Duration.ofMinutes(1);

  private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();

  /// How one reply or push goes wrong.
  public enum Fault {
    /// Status 500, nothing delivered.
    STATUS_500,
    /// Delivered, and answered with status 500.
    FORGETFUL,
    /// Status 429: too many at once.
    RATE_LIMIT,
    /// Status 429: the month is used up.
    MONTHLY_LIMIT,
    /// Status 401.
    UNAUTHORIZED,
    /// Waits for `release`, then succeeds.
    HELD
  }

  /// One call it received.
  ///
  /// @param retryKey empty when there was none
  public record ReceivedCall(String path, String retryKey, JsonNode body, int status) {}

  /// A message that is visible in a chat.
  ///
  /// @param how `reply` or `push`
  public record Shown(String how, String chat, JsonNode message) {}

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient client = HttpClient.newHttpClient();
  private final String secret;
  private final LineEvents events;
  private final LineApi api;

  private FakeLine(HttpServer server, String secret, LineApi api, Clock clock) {
    this.server = server;
    this.secret = secret;
    this.api = api;
    this.events = new LineEvents(clock, UUID.randomUUID().getLeastSignificantBits() >>> 16);
  }

  /// Starts on a free loopback port.
  ///
  /// @param secret of the channel, shared with the bot
  /// @param token the bot has to show
  public static FakeLine start(String secret, String token, Clock clock) {
    return start(0, secret, token, clock);
  }

  /// Starts on a loopback port.
  public static FakeLine start(int port, String secret, String token, Clock clock) {
    try {
      InetAddress loopback = InetAddress.getLoopbackAddress();
      HttpServer server = HttpServer.create(new InetSocketAddress(loopback, port), 0);
      LineApi api = new LineApi(token, clock);
      api.serveOn(server);
      FakeLine line = new FakeLine(server, secret, api, clock);
      server.setExecutor(line.threads);
      server.start();
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The base address, without a path.
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /// Makes events; their reply tokens work once they have been sent by `send`.
  public LineEvents events() {
    return events;
  }

  /// The next replies and pushes go wrong, one each.
  public void next(Fault... ones) {
    api.next(ones);
  }

  /// Continues held calls.
  public void release() {
    api.release();
  }

  /// Sets the language of a user's LINE; other users have no profile.
  public void speaks(String userId, String language) {
    api.speaks(userId, language);
  }

  /// Sends the events in one webhook, rightly signed; the bot's status.
  public int send(URI webhook, ObjectNode... all) {
    for (ObjectNode event : all) {
      issue(event);
    }
    return post(webhook, LineEvents.webhook(all), secret);
  }

  /// Sends any body, signed with any secret; the bot's status.
  public int post(URI webhook, String body, String with) {
    return postSigned(webhook, body, signature(with, body));
  }

  /// Sends any body with any signature, or none; the bot's status.
  public int postSigned(URI webhook, String body, @Nullable String signature) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(webhook)
            .timeout(Duration.ofSeconds(60))
            .header("content-type", "application/json; charset=utf-8")
            .POST(HttpRequest.BodyPublishers.ofString(body));
    if (signature != null) {
      request.header("X-Line-Signature", signature);
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

  /// Base64 of HMAC-SHA256 over the body.
  public static String signature(String secret, String body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      return Base64.getEncoder().encodeToString(mac.doFinal(body.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /// All calls so far, oldest first.
  public List<ReceivedCall> calls() {
    return api.calls();
  }

  /// The calls to one path.
  public List<ReceivedCall> calls(String path) {
    return calls().stream().filter(call -> call.path().equals(path)).toList();
  }

  /// The visible messages of all chats, oldest first.
  public List<Shown> shown() {
    return api.shown();
  }

  /// The visible messages of one chat.
  public List<Shown> shown(String chat) {
    return shown().stream().filter(one -> one.chat().equals(chat)).toList();
  }

  /// Waits until a chat has this number of messages; fails after a minute.
  public List<Shown> await(String chat, int messages) {
    await(() -> shown(chat).size() >= messages, messages + " messages in " + chat);
    return shown(chat);
  }

  /// Waits until something is true that changes with a call; fails after a minute.
  public void await(BooleanSupplier condition, String what) {
    long end = System.nanoTime() + PATIENCE_NANOS;
    synchronized (api) {
      while (!condition.getAsBoolean()) {
        long rest = (end - System.nanoTime()) / 1_000_000;
        if (rest <= 0) {
          throw new AssertionError("not within 60 s: " + what + "; seen: " + shown() + calls());
        }
        try {
          api.wait(Math.min(rest, 50));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IllegalStateException(e);
        }
      }
    }
  }

  @Override
  public void close() {
    release();
    server.stop(0);
    client.shutdownNow();
    threads.shutdownNow();
  }

  /// Sets listeners for all further messages and calls.
  void watch(Consumer<Shown> messages, Consumer<ReceivedCall> received) {
    api.watch(messages, received);
  }

  /// Serves something else beside the Messaging API.
  void also(String path, HttpHandler handler) {
    server.createContext(path, handler);
  }

  /// Sends an event without issuing its reply token again, like a redelivery.
  int sendAgain(URI webhook, ObjectNode event) {
    return post(webhook, LineEvents.webhook(LineEvents.again(event)), secret);
  }

  private void issue(ObjectNode event) {
    From from = new From("", text(event, "userId"), text(event, "groupId"), text(event, "roomId"));
    String chat = from.chat();
    if (event.has("replyToken")) {
      // Events without a sender belong to a chat without a name.
      api.issue(event.get("replyToken").asText(), chat == null ? "" : chat);
    }
  }

  private static @Nullable String text(ObjectNode event, String name) {
    JsonNode found = event.path("source").path(name);
    return found.isTextual() ? found.asText() : null;
  }
}
