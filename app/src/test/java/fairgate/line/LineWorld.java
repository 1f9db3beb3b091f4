package fairgate.line;

import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.lock.ActorKey;
import fairgate.testkit.Eventually;
import fairgate.testkit.RespConnection;
import fairgate.testkit.line.FakeLine;
import fairgate.testkit.line.FakeWeather;
import fairgate.testkit.line.LineEvents;
import fairgate.testkit.line.LineEvents.From;
import java.net.URI;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/// A server with its LINE channel, a fake LINE platform, and a fake weather service.
final class LineWorld implements AutoCloseable {
  static final String SECRET = "secret-of-the-line-channel-123456";
  static final String OLD_SECRET = "secret-before-it-was-replaced-99";
  static final String TOKEN = "token-of-the-line-channel-abcdefgh";
  static final String SHOP = "https://shop.example";

  private static final int BUSY = 503;
  private static final AtomicInteger USERS = new AtomicInteger();

  final FakeLine line;
  final FakeWeather weather;
  final TestFairgate server;
  private final TestEngines engines;
  private final PostgresAddress database;
  private final Map<String, String> settings = new HashMap<>();

  private LineWorld(TestEngines engines, Map<String, String> more) {
    this.engines = engines;
    engines.flushRedis();
    line = FakeLine.start(SECRET, TOKEN, Clock.systemUTC());
    weather = FakeWeather.start();
    settings.put("line.api_url", line.url());
    settings.put("line.channel_secret", SECRET + "," + OLD_SECRET);
    settings.put("line.channel_token", TOKEN);
    settings.put("line.shop_url", SHOP);
    settings.put("weather.url", weather.url());
    settings.putAll(more);
    database = engines.freshDatabase();
    server = node();
  }

  /// @param more settings by path, overriding the defaults
  static LineWorld start(Map<String, String> more) {
    return new LineWorld(TestEngines.shared(), more);
  }

  /// A world on engines that the test may damage.
  static LineWorld start(TestEngines engines, Map<String, String> more) {
    return new LineWorld(engines, more);
  }

  PostgresAddress database() {
    return database;
  }

  /// Another node on the same engines.
  TestFairgate node() {
    return TestFairgate.start(engines, database, settings);
  }

  URI webhook() {
    return webhook(server);
  }

  static URI webhook(TestFairgate node) {
    return URI.create(node.baseUrl() + "/line/webhook");
  }

  LineEvents events() {
    return line.events();
  }

  /// A new user.
  static From somebody() {
    return From.user(LineEvents.userId("user " + USERS.incrementAndGet()));
  }

  /// Sends the events in one webhook, and again while Redis does not answer in time (503), as LINE
  /// redelivers it.
  int send(ObjectNode... events) {
    return send(server, events);
  }

  /// As `send`, to one of the nodes.
  int send(TestFairgate node, ObjectNode... events) {
    return Eventually.get(
        "the webhook is accepted",
        () -> line.send(webhook(node), events),
        status -> status != BUSY);
  }

  /// Waits for the sender's lock to be released, sends an event, and waits for the first new
  /// message in the chat.
  String answer(From from, ObjectNode event) {
    free(from);
    return answerAtOnce(from, event);
  }

  /// Sends an event without waiting for the sender's lock, and waits for the first new message in
  /// the chat.
  String answerAtOnce(From from, ObjectNode event) {
    String chat = String.valueOf(from.chat());
    int before = line.shown(chat).size();
    int status = send(event);
    if (status != 200) {
      throw new AssertionError("status " + status);
    }
    List<FakeLine.Shown> all = line.await(chat, before + 1);
    return all.get(before).message().toString();
  }

  /// Sends a text and waits for the answer.
  String says(From from, String text) {
    return answer(from, events().text(from, text));
  }

  /// Waits until the user's lock is free.
  void free(From from) {
    ActorKey.buildActorKey(from.userId(), from.groupId(), from.roomId())
        .ifPresent(key -> await(() -> redis("EXISTS", key).equals("0")));
  }

  /// Sends a command to the world's Redis; returns its reply.
  String redis(String... command) {
    return RespConnection.call(engines.redisUri(), command);
  }

  /// A value of the server's metrics; 0 when absent.
  double meter(String name) {
    return server
        .metrics()
        .body()
        .lines()
        .filter(row -> row.startsWith(name + " "))
        .mapToDouble(row -> Double.parseDouble(row.substring(row.lastIndexOf(' ') + 1)))
        .sum();
  }

  /// Waits for an effect that the chat does not show.
  static void await(Eventually.Condition condition) {
    Eventually.await(condition);
  }

  /// Waits until the server has no pending events.
  void idle() {
    await(() -> meter("fairgate_line_waiting") == 0);
  }

  /// Closes the world and checks with LINE's own SDK everything that was sent.
  @Override
  public void close() {
    weather.close();
    server.close();
    line.close();
    line.calls().forEach(LineOracle::judge);
  }
}
