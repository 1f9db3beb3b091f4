package fairgate.room.check;

import fairgate.TestIds;
import fairgate.kernel.AddressBlock;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Route;
import fairgate.platform.http.stream.Forwarding.Proxies;
import fairgate.platform.observe.Metrics;
import fairgate.room.PathRule;
import fairgate.room.Room;
import fairgate.room.RoomRules;
import fairgate.room.token.RoomClaims;
import fairgate.room.token.RoomKeys;
import fairgate.room.token.RoomTokens;
import fairgate.testkit.ForeignShop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// `/gate/check` on a free port of 127.0.0.1, with the room `shop` in memory: it protects `/shop`
/// of `shop.example.com`, but not `/shop/assets` and `/shop/webhooks`.
final class GateCheckFixture implements RoomStates, AutoCloseable {
  static final String HOST = ForeignShop.HOST;
  static final String COOKIE = "fairgate_pass_shop";
  static final long EPOCH = 7;

  private static final RoomRules RULES =
      new RoomRules(
          List.of(HOST),
          List.of(PathRule.of("/shop")),
          List.of(PathRule.of("/shop/assets"), PathRule.of("/shop/webhooks")),
          Set.of());

  final KeyRing ring = new KeyRing("k1", Map.of("k1", new byte[32]));
  final RoomTokens tokens = new RoomTokens(new RoomKeys(ring), "https://q.example");
  final Metrics metrics = new Metrics();
  final List<String> released = new CopyOnWriteArrayList<>();
  final AtomicInteger walkIns = new AtomicInteger();
  final AtomicInteger renewals = new AtomicInteger();
  final Set<String> revoked = ConcurrentHashMap.newKeySet();
  volatile Room room = room(RULES, Room.Mode.ON);
  volatile Entry entry = Entry.WAIT;
  volatile Optional<NewPass> walkIn = Optional.empty();
  volatile boolean redisIsAway;
  volatile boolean redisHangs;

  private final Vertx vertx = Vertx.vertx();
  private final HttpServer server;

  private GateCheckFixture(Proxies proxies) {
    server =
        HttpServer.start(
            vertx,
            HttpConfig.defaults().withAddress("127.0.0.1", 0).withProxies(proxies),
            routes(),
            new HttpDependencies(new TestIds(), ring, metrics));
  }

  /// The check, and what a verifier needs besides: head, keys and the exchange of a turn.
  private List<Route> routes() {
    List<Route> routes =
        new ArrayList<>(new GateCheckRoutes(this, tokens, Clock.systemUTC(), metrics).routes());
    routes.add(
        Route.get(
            "/q/shop/head",
            _ -> Future.succeededFuture(Reply.json(200, "{\"epoch\":" + room.epoch() + "}"))));
    routes.add(
        Route.get(
            "/.well-known/fairgate/shop/jwks.json",
            _ -> Future.succeededFuture(Reply.json(200, tokens.jwks("shop")))));
    routes.add(
        Route.get(
            "/q/shop/pass",
            request ->
                Future.succeededFuture(
                    Reply.redirect(303, "http://shop.example.com/shop/" + request.query("turn"))
                        .cookie(COOKIE, pass(), Duration.ofMinutes(10)))));
    routes.add(
        Route.post(
            "/q/shop/release",
            request -> {
              String sent =
                  request.body().length == 0 ? null : request.json().text("pass", 1, 4_096);
              released.add(String.valueOf(sent == null ? request.cookie(COOKIE) : sent));
              return Future.succeededFuture(Reply.noContent());
            }));
    return routes;
  }

  /// Starts it; 127.0.0.1 is a trusted proxy.
  static GateCheckFixture start() {
    AddressBlock local = Objects.requireNonNull(AddressBlock.parse("127.0.0.1"));
    return new GateCheckFixture(new Proxies(List.of(local), Proxies.Header.X_FORWARDED_FOR, false));
  }

  static GateCheckFixture withoutProxies() {
    return new GateCheckFixture(Proxies.none());
  }

  static Room room(RoomRules rules, Room.Mode mode) {
    return new Room(
        "shop",
        rules,
        null,
        mode,
        new Room.Admission(100, 10, 10, false),
        new Room.Opening(null, null, Room.PreQueue.ARRIVAL),
        new Room.Failure(0),
        new Room.Look("https://shop.example.com/", "", Map.of(), Map.of()),
        false,
        new Room.PlaceLimits(null, null),
        RoomTokens.Algorithm.ES256,
        EPOCH,
        1);
  }

  /// Protects these methods only.
  void protect(String... methods) {
    room =
        room(
            new RoomRules(RULES.hosts(), RULES.include(), RULES.exclude(), Set.of(methods)),
            Room.Mode.ON);
  }

  int port() {
    return server.port();
  }

  static RoomClaims claims(String roomId, long epoch, long issued, long expires) {
    return new RoomClaims(
        roomId, epoch, 41, null, "AAECAwQFBgcICQoLDA0ODw", issued, expires, issued);
  }

  /// A pass of now for ten minutes.
  String pass() {
    long now = Instant.now().getEpochSecond();
    return token(RoomTokens.Type.PASS, claims("shop", EPOCH, now, now + 600));
  }

  String token(RoomTokens.Type type, RoomClaims claims) {
    return tokens.sign(type, RoomTokens.Algorithm.ES256, claims);
  }

  @Override
  public Optional<Room> find(String id) {
    return id.equals(room.id()) ? Optional.of(room) : Optional.empty();
  }

  @Override
  public Optional<Room> before(ProductId sale) {
    return Optional.of(room).filter(it -> sale.equals(it.sale()));
  }

  @Override
  public boolean isRevoked(Room of, RoomClaims pass) {
    return revoked.contains(pass.id());
  }

  @Override
  public Entry entry(Room of) {
    return entry;
  }

  @Override
  public Future<Boolean> own(Room of, RoomClaims pass, DeviceId device) {
    return Future.succeededFuture(true);
  }

  @Override
  public Future<Optional<NewPass>> walkIn(Room of, @Nullable ClientAddress client) {
    int _ = walkIns.incrementAndGet();
    return redisIsAway ? away() : Future.succeededFuture(walkIn);
  }

  @Override
  public Future<Optional<NewPass>> renew(Room of, RoomClaims pass) {
    int _ = renewals.incrementAndGet();
    if (redisHangs) {
      return Promise.<Optional<NewPass>>promise().future();
    }
    long now = Instant.now().getEpochSecond();
    String next = token(RoomTokens.Type.PASS, pass.renewed(now, now + 600));
    return redisIsAway
        ? away()
        : Future.succeededFuture(Optional.of(new NewPass(next, Duration.ofMinutes(10))));
  }

  private static <T> Future<T> away() {
    return Future.failedFuture(new IllegalStateException("Redis is away"));
  }

  @Override
  public String page(Room of, String origin, String back) {
    return origin + "/q/shop" + (back.isEmpty() ? "" : "?return=" + back.length());
  }

  @Override
  public void close() {
    server.drain(Duration.ofSeconds(2)).await();
    vertx.close().await();
  }
}
