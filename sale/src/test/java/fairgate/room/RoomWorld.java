package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.kernel.Caller;
import fairgate.kernel.ChallengeResult;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.OrderDraws;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.feature.Feature;
import fairgate.platform.http.Device;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.lock.ProcessingLock;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import fairgate.platform.page.Brand;
import fairgate.platform.page.PageSettings;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import fairgate.platform.text.Language;
import fairgate.room.RoomPlaces.TicketOutcome;
import fairgate.room.RoomService.EntryOutcome;
import fairgate.room.token.KeyBinding;
import fairgate.sale.ledger.LedgerFixture;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/// One node with rooms on a real Redis and a real PostgreSQL. Tests move the rooms themselves.
final class RoomWorld implements AutoCloseable {
  static final Duration LONG = Duration.ofHours(1);
  private static final LedgerFixture BOOKS = LedgerFixture.kept(TestEngines.shared());
  private static final AtomicLong ROOMS = new AtomicLong();
  static final KeyRing KEYS = new KeyRing("k1", Map.of("k1", new byte[32]));
  private static final AuditLog AUDIT =
      AuditLog.open(
          AuditLog.Config.of(1, 1),
          new AuditLog.Parts(
              BOOKS.database(), KEYS, Clock.systemUTC(), new Counted(), new Metrics(), "rooms"));

  final RedisClient redis;
  final RoomFeature rooms;
  final String id;

  private RoomWorld(RedisClient redis, RoomFeature rooms, String id) {
    this.redis = redis;
    this.rooms = rooms;
    this.id = id;
  }

  /// A node with times that no test waits for.
  static RoomWorld open(String settings) {
    return open(settings, config(LONG));
  }

  static void sql(String statement) {
    var _ = BOOKS.database().query(statement).await();
  }

  static RoomFeature.Config config(Duration showUp) {
    return new RoomFeature.Config(Duration.ofMinutes(5), showUp, LONG, Duration.ofMinutes(2), LONG);
  }

  static RoomWorld open(String settings, RoomFeature.Config config) {
    RoomWorld world = node("room-" + ROOMS.incrementAndGet(), config);
    world.put(settings);
    world.move();
    return world;
  }

  /// A node that knows the rooms of the others.
  static RoomWorld node(String id, RoomFeature.Config config) {
    RedisClient redis =
        RedisClient.connect(
                BOOKS.vertx(),
                new RedisSettings(TestEngines.shared().redisUri(), Duration.ofSeconds(60)))
            .await();
    RoomFeature rooms =
        RoomFeature.wire(
            config,
            infra(redis),
            (_, _, _, _, _) -> Future.succeededFuture(new ChallengeResult.Accepted(null)),
            _ -> Future.succeededFuture(OptionalLong.empty()),
            new Undrawn());
    return new RoomWorld(redis, rooms, id);
  }

  /// No draw is ever announced.
  private static final class Undrawn implements OrderDraws {
    @Override
    public State of(Sealed sealed) {
      return new State.Announcing();
    }

    @Override
    public Duration margin() {
      return Duration.ofSeconds(90);
    }
  }

  private static Feature.Infra infra(RedisClient redis) {
    PageSettings pages =
        new PageSettings(
            "TWD", ZoneOffset.UTC, true, List.of(), "", true, false, false, Brand.FAIRGATE);
    return new Feature.Infra(
        BOOKS.vertx(),
        redis,
        BOOKS.database(),
        KEYS,
        new Counted(),
        Clock.systemUTC(),
        new Metrics(),
        new Health(),
        AUDIT,
        new ProcessingLock(
            BOOKS.vertx(),
            redis,
            new Counted(),
            new Metrics(),
            new ProcessingLock.Config(true, Duration.ofSeconds(1), Duration.ofSeconds(1))),
        Path.of("data"),
        new Feature.Site("", "https://q.example", "", List.of(), true, true, Language.EN, pages),
        Map.of());
  }

  /// Settings of a room that is on and lets everybody in. Its visitors come from one address.
  static String on(int capacity, double rate, String more) {
    return """
        {"hosts": ["shop.example"], "mode": "on", "capacity": %d, "rate": %s, "challenge": false,
         "places_per_ip": null, "places_per_network": null, "return_url": "https://shop.example/"%s}
        """
        .formatted(capacity, rate, more);
  }

  Rooms.Change change(String settings) {
    return rooms.rooms().put(id, _ -> settings.getBytes(StandardCharsets.UTF_8), "test");
  }

  void put(String settings) {
    assertThat(change(settings)).isInstanceOf(Rooms.Change.Saved.class);
  }

  Room room() {
    return rooms.rooms().find(id).orElseThrow();
  }

  /// Moves the room once, and reads its head.
  void move() {
    Void _ = rooms.loop().advanceNow(id).await();
  }

  /// A browser with a place.
  record Visitor(String place, String secret, long ticket) {}

  /// The browser's secret.
  static String secret(int number) {
    byte[] secret = new byte[32];
    secret[0] = (byte) number;
    secret[1] = (byte) (number >> 8);
    secret[2] = (byte) (number >> 16);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
  }

  TicketOutcome take(int browser) {
    return take(browser, "192.0.2.1");
  }

  TicketOutcome take(int browser, String address) {
    return taking(browser, address).await();
  }

  Future<TicketOutcome> taking(int browser, String address) {
    return rooms
        .places()
        .take(
            new RoomPlaces.TicketRequest(
                room(),
                "",
                new Device(new DeviceId("%022d".formatted(browser)), false),
                KeyBinding.ofSecret(Base64.getUrlDecoder().decode(secret(browser))),
                address,
                new Caller(
                    Objects.requireNonNull(ClientAddress.parse(address)), "", null, null, null)));
  }

  Visitor join(int browser) {
    TicketOutcome outcome = take(browser);
    assertThat(outcome).isInstanceOf(TicketOutcome.Given.class);
    TicketOutcome.Given given = (TicketOutcome.Given) outcome;
    return new Visitor(given.place(), secret(browser), given.ticket());
  }

  RoomPlaces.Possession possession(Visitor visitor) {
    return new RoomPlaces.Possession(
        visitor.place(), visitor.secret(), null, "/q/" + id + "/enter");
  }

  EntryOutcome enter(Visitor visitor) {
    return rooms.service().enter(room(), possession(visitor)).await();
  }

  /// The result of entering, as a word: `ENTER` or the code of the refusal.
  String tryEnter(Visitor visitor) {
    return switch (enter(visitor)) {
      case EntryOutcome.Admitted _ -> "ENTER";
      case EntryOutcome.Refused(fairgate.platform.http.Refusal refusal) -> refusal.code().name();
    };
  }

  /// Enters with the place and exchanges the turn.
  EntryOutcome.Admitted pass(Visitor visitor) {
    EntryOutcome.Admitted turn = (EntryOutcome.Admitted) enter(visitor);
    return (EntryOutcome.Admitted) rooms.service().exchange(room(), turn.token()).await();
  }

  JsonObject head() {
    return Json.parseObject(rooms.loop().node(id).headBytes());
  }

  long number(String field) {
    return head().get(field) instanceof Long value ? value : -1;
  }

  String state(String field) {
    return redis.send("HGET", new RoomStateKeys(id).state(), field).await().text();
  }

  void set(String field, long value) {
    var _ = redis.send("HSET", new RoomStateKeys(id).state(), field, Long.toString(value)).await();
  }

  boolean has(String key) {
    return redis.send("EXISTS", key).await().number() == 1;
  }

  /// Marks all tickets of a block as gone.
  void allGone(long block) {
    String key = new RoomStateKeys(id).gone(block);
    var _ = redis.send("SETBIT", key, Integer.toString(GoneTickets.BLOCK - 1), "1").await();
    var _ = redis.send("BITOP", "NOT", key, key).await();
    var _ = redis.send("SETBIT", key, Integer.toString(GoneTickets.BLOCK - 1), "1").await();
  }

  /// Lets the present period of presence end with the next contact.
  void endPeriod() {
    set("period_at", 0);
  }

  /// Lets the next head be made now.
  void freshHead() {
    var _ = redis.send("HDEL", new RoomStateKeys(id).state(), "head_at").await();
    move();
  }

  @Override
  public void close() {
    rooms.close();
    redis.close();
  }

  /// Ids that count up.
  private static final class Counted implements Ids {
    private static final AtomicLong LAST = new AtomicLong();

    @Override
    public SessionId session() {
      throw new UnsupportedOperationException();
    }

    @Override
    public OrderId order(ProductId product) {
      throw new UnsupportedOperationException();
    }

    @Override
    public DeviceId device() {
      throw new UnsupportedOperationException();
    }

    @Override
    public String nonce() {
      byte[] bytes = new byte[16];
      long number = LAST.incrementAndGet();
      for (int i = 0; i < 8; i++) {
        bytes[i] = (byte) (number >> (8 * i));
      }
      return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
  }
}
