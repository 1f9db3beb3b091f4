package fairgate;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.queue.QueueService;
import fairgate.sale.SaleService;
import fairgate.sale.payment.OrderBook;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The scripts of one product's sale as Redis runs them: no batcher, no reading of replies. What is
/// passed as one list is one script run.
public final class SaleScripts {
  private static final LuaScript JOIN = LuaScript.load(QueueService.class, "join.lua");
  private static final LuaScript STATUS = LuaScript.load(QueueService.class, "status.lua");
  private static final LuaScript LEAVE = LuaScript.load(QueueService.class, "leave.lua");
  private static final LuaScript ADMIT = LuaScript.load(QueueService.class, "admit.lua");
  private static final LuaScript MOVE_BEHIND =
      LuaScript.load(QueueService.class, "move_behind.lua");
  private static final LuaScript EXPIRE = LuaScript.load(QueueService.class, "expire.lua");
  private static final LuaScript ISSUE = LuaScript.load(QueueService.class, "issue_pass.lua");
  private static final LuaScript PURCHASE = LuaScript.load(SaleService.class, "purchase.lua");
  private static final LuaScript BATCH = LuaScript.load(SaleService.class, "stock_batch.lua");
  private static final LuaScript CONFIGURE = LuaScript.load(SaleService.class, "configure.lua");
  private static final LuaScript LIVE = LuaScript.load(SaleService.class, "live.lua");
  private static final LuaScript CONFIRM = LuaScript.load(OrderBook.class, "confirm.lua");
  private static final LuaScript RELEASE = LuaScript.load(OrderBook.class, "release.lua");
  private static final String TIME = "01m8121sjs";
  private static final String IDEMPOTENCY_LIFE = "950400";

  private final RedisClient redis;
  private final SaleKeys keys;

  SaleScripts(RedisClient redis, SaleKeys keys) {
    this.redis = redis;
    this.keys = keys;
  }

  /// One attempt to join.
  ///
  /// @param named the session the caller already has, or empty
  /// @param challenge the nonce to spend, or empty
  public record Join(Buyer buyer, String named, String challenge) {}

  /// One attempt to buy.
  ///
  /// @param token id of the token, or empty
  /// @param expiry of the token, ms
  /// @param epoch of the token
  /// @param key the idempotency key, or empty
  /// @param print the fingerprint of the request, or empty
  public record Buy(
      Buyer buyer,
      OrderId order,
      int quantity,
      String token,
      long expiry,
      String epoch,
      String key,
      String print) {
    public Buy(Buyer buyer, OrderId order, int quantity) {
      this(buyer, order, quantity, "", 0, "", "", "");
    }

    public Buy withToken(String id, long expires, String of) {
      return new Buy(buyer, order, quantity, id, expires, of, key, print);
    }

    public Buy withKey(String idempotency, String fingerprint) {
      return new Buy(buyer, order, quantity, token, expiry, epoch, idempotency, fingerprint);
    }
  }

  /// The last reply is how long a session lives.
  public Future<RedisReply> join(List<Join> joins) {
    List<String> k =
        new ArrayList<>(
            List.of(keys.sale(), keys.waiting(), keys.active(), keys.devices(), keys.ready()));
    List<String> a =
        new ArrayList<>(List.of(keys.product().value(), keys.sessionPrefix(), keys.eventPrefix()));
    for (Join join : joins) {
      Buyer b = join.buyer();
      k.add(keys.session(b.session()));
      String life = join.challenge().isEmpty() ? "" : "60000";
      a.add(
          String.join(
              "|", b.device(), b.account(), join.named(), join.challenge(), life, "", "", "", ""));
    }
    return redis.run(JOIN, k, a);
  }

  public Future<RedisReply> status(List<Buyer> buyers) {
    return redis.run(
        STATUS, buyers.stream().map(b -> keys.session(b.session())).toList(), List.of("", ""));
  }

  public Future<RedisReply> leave(Buyer buyer) {
    return redis.run(
        LEAVE,
        List.of(keys.session(buyer.session()), keys.lock(buyer.session())),
        List.of("", "", buyer.session().value()));
  }

  public Future<RedisReply> moveBehind(Buyer buyer, String decision, String seat) {
    return redis.run(
        MOVE_BEHIND,
        List.of(keys.sale(), keys.waiting(), keys.active(), keys.ready(), keys.devices()),
        List.of(
            keys.product().value(),
            buyer.session().value(),
            decision,
            seat,
            keys.sessionPrefix(),
            keys.lockPrefix()));
  }

  public Future<RedisReply> admit(int max) {
    return redis.run(
        ADMIT,
        List.of(
            keys.sale(), keys.waiting(), keys.active(), keys.ready(), keys.devices(), keys.stock()),
        List.of(keys.sessionPrefix(), keys.lockPrefix(), Integer.toString(max), "7"));
  }

  /// The places that one run of `expire.lua` has ended, by their reason.
  public record Ended(int missed, int closed, int absent) {}

  public Future<Ended> expire(int max) {
    return expire(max, false);
  }

  /// @param isReached whether a browser has reached the node
  public Future<Ended> expire(int max, boolean isReached) {
    return redis
        .run(
            EXPIRE,
            List.of(keys.sale(), keys.waiting(), keys.active(), keys.ready(), keys.devices()),
            List.of(
                Integer.toString(max),
                keys.sessionPrefix(),
                keys.lockPrefix(),
                isReached ? "1" : "0",
                "1"))
        .map(
            reply -> {
              String[] f = reply.textAt(0).split("\\|", -1);
              return new Ended(
                  Integer.parseInt(f[0]), Integer.parseInt(f[1]), Integer.parseInt(f[7]));
            });
  }

  public Future<RedisReply> issue(Buyer buyer, String token) {
    return redis.run(
        ISSUE,
        List.of(keys.sale(), keys.session(buyer.session()), keys.token(token)),
        List.of(buyer.session().value(), token));
  }

  /// The id of the order this session gets if it buys.
  public OrderId order(Buyer buyer) {
    String session = buyer.session().value().replace("-", "");
    return OrderId.of(keys.product(), TIME + session.substring(session.length() - 16));
  }

  public Future<RedisReply> purchase(List<Buy> buys) {
    List<String> k =
        new ArrayList<>(
            List.of(
                keys.sale(),
                keys.stock(),
                keys.active(),
                keys.ready(),
                keys.purchases(),
                keys.pending(),
                keys.devices(),
                keys.outbox()));
    List<String> a =
        new ArrayList<>(
            List.of(
                keys.eventPrefix(),
                keys.orderPrefix(),
                keys.lockPrefix(),
                IDEMPOTENCY_LIFE,
                keys.product().value()));
    for (Buy buy : buys) {
      k.add(keys.session(buy.buyer().session()));
      a.add(buy.order().value());
      a.add(
          String.join(
              "|",
              Integer.toString(buy.quantity()),
              buy.token(),
              Long.toString(buy.expiry()),
              buy.epoch(),
              buy.print(),
              "",
              buy.key()));
    }
    return redis.run(PURCHASE, k, a);
  }

  public Future<RedisReply> stockBatch(int number, int units) {
    return redis.run(
        BATCH,
        List.of(keys.sale(), keys.stock(), keys.outbox()),
        List.of(Integer.toString(number), Integer.toString(units)));
  }

  public Future<RedisReply> configure(long version, String state, Map<String, String> policy) {
    List<String> a = new ArrayList<>();
    a.addAll(List.of(Long.toString(version), state, "1", "1"));
    policy.forEach((field, value) -> a.addAll(List.of(field, value)));
    return redis.run(CONFIGURE, List.of(keys.sale()), a);
  }

  /// The counters of the sale, in the order of `live.lua`.
  public static List<String> counters(RedisReply live) {
    return List.of(live.textAt(0).split("\\|", -1));
  }

  public Future<RedisReply> live() {
    return redis.run(
        LIVE,
        List.of(
            keys.sale(),
            keys.stock(),
            keys.waiting(),
            keys.active(),
            keys.ready(),
            keys.purchases(),
            keys.pending(),
            keys.outbox()),
        List.of());
  }

  /// Books a payment on an order of the buyer, late money taken up again where it can be.
  public Future<RedisReply> confirm(Buyer buyer, OrderId order, String payment, long amount) {
    List<String> a = new ArrayList<>(edgeArgs(buyer, order));
    a.addAll(List.of(payment, Long.toString(amount), "TWD", "rehold"));
    return redis.run(CONFIRM, edgeKeys(buyer, order), a);
  }

  /// Ends a reservation of the buyer: `cancelled` or `expired`.
  public Future<RedisReply> release(Buyer buyer, OrderId order, String reason) {
    List<String> k = new ArrayList<>(edgeKeys(buyer, order));
    k.add(keys.devices());
    k.add(keys.userCooldown(buyer.user()));
    k.add(keys.deviceCooldown(buyer.device()));
    List<String> a = new ArrayList<>(edgeArgs(buyer, order));
    a.add(reason);
    a.add(reason);
    return redis.run(RELEASE, k, a);
  }

  private List<String> edgeKeys(Buyer buyer, OrderId order) {
    return List.of(
        keys.sale(),
        keys.stock(),
        keys.order(order),
        keys.session(buyer.session()),
        keys.purchases(),
        keys.pending(),
        keys.outbox(),
        keys.userBought(buyer.user()),
        keys.deviceBought(buyer.device()));
  }

  private static List<String> edgeArgs(Buyer buyer, OrderId order) {
    return List.of(order.value(), buyer.session().value(), buyer.user(), buyer.device());
  }
}
