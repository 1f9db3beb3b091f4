package fairgate.line;

import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.RawRedis;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.lock.ActorKey;
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
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// A server with its LINE channel, LINE itself, and the weather.
final class LineWorld implements AutoCloseable {
  static final String SECRET = "secret-of-the-line-channel-123456";
  static final String OLD_SECRET = "secret-before-it-was-replaced-99";
  static final String TOKEN = "token-of-the-line-channel-abcdefgh";
  static final String SHOP = "https://shop.example";

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

  /// @param more settings by their paths, instead of the world's
  static LineWorld start(Map<String, String> more) {
    return new LineWorld(TestEngines.shared(), more);
  }

  /// A world on engines that may be hurt.
  static LineWorld start(TestEngines engines, Map<String, String> more) {
    return new LineWorld(engines, more);
  }

  PostgresAddress database() {
    return database;
  }

  /// One more node on the same engines.
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

  /// A person nobody has met.
  static From somebody() {
    return From.user(LineEvents.userId("user " + USERS.incrementAndGet()));
  }

  int send(ObjectNode... events) {
    return line.send(webhook(), events);
  }

  /// Sends an event of somebody whose last one is done with, and waits for the first new message in
  /// the chat. What was answered may still hold its lock for a moment: this waits for that, too.
  String answer(From from, ObjectNode event) {
    free(from);
    return answerAtOnce(from, event);
  }

  /// Sends an event, whatever its sender is held back by, and waits for the first new message in
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

  /// Waits until nobody holds this person's lock.
  void free(From from) {
    ActorKey.buildActorKey(from.userId(), from.groupId(), from.roomId())
        .ifPresent(key -> await(() -> redis("EXISTS", key).equals("0")));
  }

  /// What the world's Redis answers.
  String redis(String... command) {
    return RawRedis.call(engines.redisUri(), command);
  }

  /// One number of the server's metrics; 0 when it is not there.
  double meter(String name) {
    return server
        .call("GET", "/metrics", "")
        .body()
        .lines()
        .filter(row -> row.startsWith(name + " "))
        .mapToDouble(row -> Double.parseDouble(row.substring(row.lastIndexOf(' ') + 1)))
        .sum();
  }

  /// Waits for something that happens after what can be seen in a chat.
  static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + 20_000_000_000L;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not within 20 s");
      }
      LockSupport.parkNanos(5_000_000);
    }
  }

  /// Waits until the server has nothing in hand.
  void idle() {
    await(() -> meter("fairgate_line_waiting") == 0);
  }

  /// Ends, having had LINE's own SDK read everything that was sent.
  @Override
  public void close() {
    weather.close();
    server.close();
    line.close();
    line.calls().forEach(LineOracle::judge);
  }
}
