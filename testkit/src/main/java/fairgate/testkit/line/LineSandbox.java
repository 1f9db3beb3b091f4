package fairgate.testkit.line;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import fairgate.testkit.line.FakeLine.Fault;
import fairgate.testkit.line.LineEvents.From;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/// A simulated LINE for trying a bot: a page with the chat, in which people can write, and which
/// shows the bot's messages and API calls. Works with any bot with a configurable API address.
public final class LineSandbox implements AutoCloseable {
  private static final String SECRET = "sandbox-channel-secret";
  private static final String TOKEN = "sandbox-channel-token";
  private static final String USAGE =
      """
      usage: ./fairgate line-sandbox [--port 8099] [--bot http://127.0.0.1:8080/line/webhook]
                                     [--secret S] [--token T]
      """;

  private final FakeLine line;
  private final FakeWeather weather;
  private final URI bot;
  private final List<ObjectNode> log = new ArrayList<>();
  private final Map<String, ObjectNode> last = new HashMap<>();

  private LineSandbox(FakeLine line, FakeWeather weather, URI bot) {
    this.line = line;
    this.weather = weather;
    this.bot = bot;
  }

  /// The program. Runs until it is stopped.
  public static void main(String[] args) throws InterruptedException {
    Map<String, String> options = new HashMap<>();
    for (int i = 0; i < args.length; i += 2) {
      if (!List.of("--port", "--bot", "--secret", "--token").contains(args[i])
          || i + 1 == args.length) {
        boolean help = args[i].equals("--help") || args[i].equals("-h");
        (help ? System.out : System.err).print(USAGE);
        System.exit(help ? 0 : 2);
      }
      options.put(args[i], args[i + 1]);
    }
    String secret = options.getOrDefault("--secret", SECRET);
    String token = options.getOrDefault("--token", TOKEN);
    URI bot = URI.create(options.getOrDefault("--bot", "http://127.0.0.1:8080/line/webhook"));
    int port = Integer.parseInt(options.getOrDefault("--port", "8099"));
    try (LineSandbox sandbox = start(port, secret, token, bot)) {
      System.out.println("ready " + sandbox.url());
      System.out.println("the bot is expected at " + bot + "; start Fairgate's with");
      System.out.printf(
          "  FAIRGATE_LINE_API_URL=%s FAIRGATE_WEATHER_URL=%s \\%n  FAIRGATE_LINE_CHANNEL_SECRET=%s"
              + " FAIRGATE_LINE_CHANNEL_TOKEN=%s ./fairgate up%n",
          sandbox.url(), sandbox.url(), secret, token);
      new CountDownLatch(1).await();
    }
  }

  /// Starts the page and the API on one loopback port.
  ///
  /// @param port 0 for a free one
  /// @param bot the bot's webhook
  public static LineSandbox start(int port, String secret, String token, URI bot) {
    FakeWeather weather = FakeWeather.start();
    FakeLine line = FakeLine.start(port, secret, token, Clock.systemUTC());
    LineSandbox sandbox = new LineSandbox(line, weather, bot);
    Map.of("anna", "zh-TW", "bert", "zh-CN", "carl", "en")
        .forEach((who, language) -> line.speaks(LineEvents.userId(who), language));
    weather.alsoOn(line);
    line.watch(sandbox::shown, sandbox::called);
    line.also("/", sandbox::page);
    line.also("/sandbox/log", exchange -> respond(exchange, sandbox.entries(exchange)));
    line.also("/sandbox/send", exchange -> sandbox.act(exchange, sandbox::send));
    line.also("/sandbox/trouble", exchange -> sandbox.act(exchange, sandbox::trouble));
    return sandbox;
  }

  /// The page's address, and the API's.
  public String url() {
    return line.url();
  }

  /// The platform behind the page.
  public FakeLine line() {
    return line;
  }

  @Override
  public void close() {
    line.close();
    weather.close();
  }

  private synchronized void note(String kind, ObjectNode entry) {
    log.add(entry.put("kind", kind).put("n", log.size()));
  }

  private void shown(FakeLine.Shown one) {
    ObjectNode entry =
        LineApi.JSON.createObjectNode().put("how", one.how()).put("chat", one.chat());
    entry.set("message", one.message());
    note("bot", entry);
  }

  private void called(FakeLine.ReceivedCall call) {
    note(
        "call",
        LineApi.JSON
            .createObjectNode()
            .put("path", call.path())
            .put("status", call.status())
            .put("retry_key", call.retryKey())
            .put("chat", call.body().path("chatId").asText("")));
  }

  private synchronized ObjectNode entries(HttpExchange exchange) {
    String query = exchange.getRequestURI().getQuery();
    int after = query == null ? 0 : Integer.parseInt(query.replaceAll("\\D", ""));
    ObjectNode answer = LineApi.JSON.createObjectNode();
    ArrayNode entries = answer.putArray("entries");
    log.stream().skip(after).forEach(entries::add);
    return answer;
  }

  private interface Act {
    ObjectNode on(JsonNode body);
  }

  /// Another site's page cannot send this content type without asking first.
  private void act(HttpExchange exchange, Act act) throws IOException {
    String type = String.valueOf(exchange.getRequestHeaders().getFirst("content-type"));
    JsonNode body = LineApi.JSON.readTree(exchange.getRequestBody().readAllBytes());
    respond(
        exchange,
        type.startsWith("application/json")
            ? act.on(body)
            : LineApi.JSON.createObjectNode().put("problem", "send application/json"));
  }

  private ObjectNode trouble(JsonNode body) {
    line.next(Fault.valueOf(body.path("trouble").asText()));
    return LineApi.JSON.createObjectNode().put("status", 200);
  }

  private ObjectNode send(JsonNode body) {
    String who = LineEvents.userId(body.path("who").asText());
    From from =
        body.path("group").asBoolean() ? From.group("C" + "a".repeat(32), who) : From.user(who);
    String chat = String.valueOf(from.chat());
    ObjectNode event = event(body, from, chat);
    ObjectNode answer = LineApi.JSON.createObjectNode();
    if (event == null) {
      return answer.put("problem", "nothing was sent before");
    }
    boolean again = body.path("type").asText().equals("again");
    ObjectNode entry = answer.deepCopy().put("chat", chat).put("who", body.path("who").asText());
    entry.put("again", again).set("event", event);
    note("you", entry);
    long start = System.nanoTime();
    try {
      answer.put("status", again ? line.sendAgain(bot, event) : line.send(bot, event));
    } catch (UncheckedIOException e) {
      answer.put("problem", "no bot at " + bot);
    }
    return answer.put("ms", (System.nanoTime() - start) / 1_000_000);
  }

  private synchronized @Nullable ObjectNode event(JsonNode body, From from, String chat) {
    LineEvents events = line.events();
    ObjectNode event =
        switch (body.path("type").asText()) {
          case "text" -> events.text(from, body.path("text").asText());
          case "mention" -> events.mention(from, body.path("text").asText());
          case "location" ->
              events.location(
                  from, body.path("latitude").asDouble(), body.path("longitude").asDouble());
          case "postback" -> events.postback(from, body.path("data").asText());
          case "follow" -> events.follow(from);
          case "again" -> last.get(chat);
          default -> events.event(body.path("type").asText(), from);
        };
    if (event != null) {
      last.put(chat, event);
    }
    return event;
  }

  private void page(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String name = path.equals("/") ? "sandbox.html" : path.substring(1);
    if (path.equals("/favicon.ico")) {
      try (exchange) {
        exchange.sendResponseHeaders(204, -1);
      }
      return;
    }
    boolean known = List.of("sandbox.html", "sandbox.js", "sandbox.css").contains(name);
    try (exchange;
        InputStream in = LineSandbox.class.getResourceAsStream(known ? name : "sandbox.html")) {
      byte[] bytes = in == null || !known ? new byte[0] : in.readAllBytes();
      String kind = name.endsWith("js") ? "javascript" : name.endsWith("css") ? "css" : "html";
      exchange.getResponseHeaders().set("content-type", "text/" + kind + "; charset=utf-8");
      exchange.getResponseHeaders().set("content-security-policy", "default-src 'self'");
      exchange.sendResponseHeaders(known ? 200 : 404, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private static void respond(HttpExchange exchange, ObjectNode answer) throws IOException {
    try (exchange) {
      byte[] bytes = answer.toString().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("content-type", "application/json");
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }
}
