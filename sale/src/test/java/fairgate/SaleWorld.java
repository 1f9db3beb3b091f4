package fairgate;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.platform.redis.RedisSettings;
import fairgate.testkit.Eventually;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;

/// One product's sale on a real Redis, under a product id of its own, so that no test sees another.
public final class SaleWorld {
  /// The fields of the reply of `admit.lua` before the sessions that became ready.
  static final int ADMIT_HEAD = 9;

  /// Fields of hashes that a repeat may change: times of the last contact and of the last pass.
  private static final Set<String> NOT_COMPARED = Set.of("seen", "passed_at");

  private static final Vertx VERTX = Vertx.vertx();
  private static final AtomicLong NEXT = new AtomicLong(4_000_000_000_000_000L);
  private static final RedisClient REDIS = connect();

  private final ProductId product = new ProductId(Long.toString(NEXT.getAndIncrement()));
  private final SaleKeys keys = SaleKeys.of(product, SaleKeys.Style.PLAIN);
  private final SaleScripts scripts = new SaleScripts(REDIS, keys);
  private final Map<String, String> policy = new LinkedHashMap<>();
  private final Set<String> people = new ConcurrentSkipListSet<>();
  private long version;

  private SaleWorld() {}

  /// A connection of its own to the Redis of the tests.
  public static RedisClient connect() {
    return RedisClient.connect(
            VERTX, new RedisSettings(TestEngines.shared().redisUri(), Duration.ofSeconds(60)))
        .await();
  }

  /// A product nothing is known of yet.
  public static SaleWorld unknown() {
    return new SaleWorld();
  }

  /// An open sale with the policy of the `queue` preset, but for the fields given as name, value.
  public static SaleWorld open(int units, String... fields) {
    return in("open", units, fields);
  }

  /// As `open`, in the state given.
  public static SaleWorld in(String state, int units, String... fields) {
    SaleWorld world = new SaleWorld();
    world.policy.putAll(
        pairs(
            "opens_at 0 closes_at 0 capacity 100 slots 1 rate 0 window_ms 300000 presence_ms 0"
                + " max_quantity 1 max_user 1 max_device 0 cooldown_s 60 token 0 token_ttl_ms 0"
                + " payment 0 payment_ms 0 price 9999 currency TWD"));
    world.policy.putAll(pairs(String.join(" ", fields)));
    assertThat(world.configure(state)).isEqualTo("APPLIED");
    if (units > 0) {
      assertThat(world.scripts.stockBatch(1, units).await().text()).isEqualTo("APPLIED");
    }
    return world;
  }

  private static Map<String, String> pairs(String text) {
    Map<String, String> pairs = new LinkedHashMap<>();
    String[] words = text.isEmpty() ? new String[0] : text.split(" ", -1);
    for (int i = 0; i < words.length; i += 2) {
      pairs.put(words[i], words[i + 1]);
    }
    return pairs;
  }

  public RedisClient redis() {
    return REDIS;
  }

  public SaleKeys keys() {
    return keys;
  }

  public ProductId product() {
    return product;
  }

  public SaleScripts scripts() {
    return scripts;
  }

  /// The scripts of this sale over another connection.
  public SaleScripts scripts(RedisClient connection) {
    return new SaleScripts(connection, keys);
  }

  /// Brings the sale to its next version, in that state.
  public String configure(String state, String... fields) {
    policy.putAll(pairs(String.join(" ", fields)));
    return scripts.configure(++version, state, policy).await().text();
  }

  /// Somebody nobody has seen before.
  public Buyer buyer() {
    return buyer("d" + Long.toString(NEXT.getAndIncrement()), "");
  }

  /// A new session on a device, perhaps of an account.
  public Buyer buyer(String device, String account) {
    SessionId session = new SessionId(UUID.randomUUID().toString());
    people.add(session.value());
    String padded = (device + "______________________").substring(0, 22);
    return new Buyer(session, padded, account);
  }

  public List<Buyer> buyers(int count) {
    List<Buyer> buyers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      buyers.add(buyer());
    }
    return buyers;
  }

  /// The id of the order this session gets if it buys.
  public OrderId order(Buyer buyer) {
    return scripts.order(buyer);
  }

  /// An order's id that is not made by a purchase.
  public OrderId order() {
    return OrderId.of(product, "%026d".formatted(NEXT.getAndIncrement()));
  }

  /// Joins all in one script run.
  public List<String> join(Buyer... buyers) {
    return join(Arrays.asList(buyers));
  }

  public List<String> join(List<Buyer> buyers) {
    return scripts
        .join(buyers.stream().map(b -> new SaleScripts.Join(b, "", "")).toList())
        .await()
        .texts()
        .subList(0, buyers.size());
  }

  public RedisReply admit() {
    return scripts.admit(250).await();
  }

  /// Admits; the sessions that became ready.
  public List<String> admitReady() {
    return admit().texts().stream().skip(ADMIT_HEAD).toList();
  }

  /// Somebody who has joined, been admitted and come into a ready slot.
  public Buyer ready() {
    return ready(buyer());
  }

  /// The place is ready even if no unit is free for it, as between a purchase and the next pass of
  /// the queue.
  public Buyer ready(Buyer buyer) {
    return ready(List.of(buyer)).getFirst();
  }

  /// As `ready`, for all at once.
  public List<Buyer> ready(List<Buyer> buyers) {
    assertThat(join(buyers)).allMatch(reply -> reply.startsWith("JOINED"));
    sent("INCRBY", keys.stock(), "1000");
    assertThat(admit().texts())
        .containsAll(buyers.stream().map(buyer -> buyer.session().value()).toList());
    sent("DECRBY", keys.stock(), "1000");
    return buyers;
  }

  /// Buys one unit, without token and idempotency key.
  public String buy(Buyer buyer) {
    return scripts.purchase(List.of(new SaleScripts.Buy(buyer, order(buyer), 1))).await().textAt(0);
  }

  /// The field of a status reply.
  public String status(Buyer buyer) {
    String reply = scripts.status(List.of(buyer)).await().textAt(0);
    return reply.contains("|") ? reply.substring(0, reply.indexOf('|')) : reply;
  }

  public String sale(String field) {
    return send("HGET", keys.sale(), field).text();
  }

  public String session(Buyer buyer, String field) {
    return send("HGET", keys.session(buyer.session()), field).text();
  }

  public long stock() {
    return send("GET", keys.stock()).number();
  }

  /// People of the sale have been heard of without a gap for so long, and just now.
  public void reachableFor(Duration time) {
    long now = now();
    sent("HSET", keys.sale(), "contact_at", Long.toString(now));
    sent("HSET", keys.sale(), "reachable_since", Long.toString(now - time.toMillis()));
  }

  /// Turns back when a session was last seen.
  public void lastSeen(Buyer buyer, Duration ago) {
    sent("HSET", keys.session(buyer.session()), "seen", Long.toString(now() - ago.toMillis()));
  }

  /// Turns the end of a purchase window back, so that it has passed, however long the sale paused.
  public void windowPasses(Buyer buyer) {
    String past = Long.toString(now() - Duration.ofDays(1).toMillis());
    String sid = buyer.session().value();
    sent("ZADD", keys.ready(), "XX", past, sid);
    sent("HSET", keys.session(buyer.session()), "purchase_timeout_at", past);
  }

  /// Has the last pass of the queue been this long ago.
  public void lastPass(Duration ago) {
    sent("HSET", keys.sale(), "passed_at", Long.toString(now() - ago.toMillis()));
  }

  public RedisReply send(String command, String... args) {
    return REDIS.send(command, args).await();
  }

  /// The score of a member, which has to be there, as a whole number.
  public long score(String key, String member) {
    return (long) Double.parseDouble(send("ZSCORE", key, member).text());
  }

  /// Sends a command whose reply does not matter.
  public void sent(String command, String... args) {
    assertThat(send(command, args)).isNotNull();
  }

  /// Redis time, ms.
  public long now() {
    RedisReply time = send("TIME");
    return Long.parseLong(time.textAt(0)) * 1000 + Long.parseLong(time.textAt(1)) / 1000;
  }

  /// The counters of `live.lua`, in its order.
  public List<String> counters() {
    return SaleScripts.counters(scripts.live().await());
  }

  /// free + held + confirmed = released.
  public void assertBalanced() {
    List<String> live = counters();
    assertThat(number(live, 1) + number(live, 3) + number(live, 4))
        .as("free + held + confirmed = released")
        .isEqualTo(number(live, 2));
  }

  private static long number(List<String> texts, int at) {
    return Long.parseLong(texts.get(at));
  }

  /// Names of all keys this sale has in Redis.
  public Set<String> names() {
    Set<String> names = new TreeSet<>();
    String cursor = "0";
    do {
      RedisReply reply = send("SCAN", cursor, "MATCH", "*" + product + "*", "COUNT", "5000");
      cursor = reply.textAt(0);
      names.addAll(reply.at(1).texts());
    } while (!cursor.equals("0"));
    for (String prefix : List.of(keys.sessionPrefix(), keys.lockPrefix())) {
      List<String> all = people.stream().map(prefix::concat).toList();
      List<RedisReply> found =
          Future.join(all.stream().map(name -> REDIS.send("EXISTS", name)).toList())
              .map(done -> done.<RedisReply>list())
              .await();
      for (int i = 0; i < all.size(); i++) {
        if (found.get(i).number() == 1) {
          names.add(all.get(i));
        }
      }
    }
    return names;
  }

  /// Everything this sale has in Redis, readable, with the time each key ends; `seen` left out.
  public Map<String, String> dump() {
    Map<String, String> dump = new TreeMap<>();
    for (String name : names()) {
      String type = send("TYPE", name).text();
      String value =
          switch (type) {
            case "string" -> send("GET", name).text();
            case "hash" -> hash(name).toString();
            case "set" -> new TreeSet<>(send("SMEMBERS", name).texts()).toString();
            case "zset" -> send("ZRANGE", name, "0", "-1", "WITHSCORES").texts().toString();
            case "list" -> send("LRANGE", name, "0", "-1").texts().toString();
            default -> type + " " + send("XLEN", name).number();
          };
      dump.put(name, value + " until " + send("PEXPIRETIME", name).number());
    }
    return dump;
  }

  private Map<String, String> hash(String name) {
    List<String> names = send("HKEYS", name).texts();
    List<String> values = send("HVALS", name).texts();
    Map<String, String> fields = new TreeMap<>();
    for (int i = 0; i < names.size(); i++) {
      if (!NOT_COMPARED.contains(names.get(i))) {
        fields.put(names.get(i), values.get(i));
      }
    }
    return fields;
  }

  /// Waits until the condition holds; fails after a minute.
  public static void await(Eventually.Condition condition) {
    Eventually.await(condition);
  }
}
