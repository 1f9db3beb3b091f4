package fairgate.sale;

import static fairgate.sale.SaleSync.await;

import fairgate.catalog.Product;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.events.OutboxEntry;
import fairgate.platform.events.OutboxReplay;
import fairgate.platform.events.OutboxStream;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.sale.LedgerView.Head;
import fairgate.sale.LedgerView.KnownOrder;
import fairgate.sale.LedgerView.Totals;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Rebuilds a sale's counters and orders in Redis from the ledger, after Redis was lost or restored
/// from an older copy.
///
/// A new epoch is opened first: nothing is sold during the rebuild, and purchase tokens of earlier
/// epochs are void. Places that survived keep their order. Orders that have ended since the copy
/// are ended in it too, and no longer count for their buyers. The free units are the released ones
/// that the ledger does not count as sold, so no unit is sold twice.
final class SaleRebuild {
  private static final Logger LOG = LoggerFactory.getLogger(SaleRebuild.class);
  private static final String SESSION_LIFE = Long.toString(24 * 60 * 60);

  /// Needed only when a node dies while Redis keeps running. All other causes of an aborted rebuild
  /// are noticed earlier.
  private static final String CUT_SHORT_AFTER_MS = "60000";

  private static final String OTHER_TOTALS =
      "Redis and the ledger have the same events and other totals";

  private final RedisClient redis;
  private final SaleScripts scripts;
  private final LedgerView ledger;
  private final TrustScript trust;
  private final OutboxReplay replay;
  private final LedgerGaps gaps;
  private final String me;

  /// @param me unique name of this node
  SaleRebuild(RedisClient redis, SaleScripts scripts, LedgerView ledger, String me) {
    this.me = me;
    this.redis = redis;
    this.scripts = scripts;
    this.ledger = ledger;
    this.trust = new TrustScript(redis);
    this.replay = new OutboxReplay(redis, ledger.sink());
    this.gaps = new LedgerGaps(ledger, replay, System::nanoTime);
  }

  /// Creates the sale in Redis, which has no such sale: as a new one, or from the ledger when that
  /// has its history.
  void create(Product product) {
    // Without a release nothing can have been sold, so a new sale waits for nothing.
    boolean fresh = ledger.totals(product.id()).map(Totals::released).orElse(0L) == 0;
    Head head = fresh ? Head.NOTHING : heads().getOrDefault(product.id(), Head.NOTHING);
    SaleKeys keys = scripts.keys(product.id());
    long epoch = fresh ? 1 : ledger.openEpoch(product.id(), Math.max(1, head.epoch()));
    if (!head.equals(Head.NOTHING) && begins(product.id(), epoch)) {
      build(product.id(), epoch);
    }
    long created = head.equals(Head.NOTHING) ? epoch : 0;
    ConfigureScript.Reply word = await(scripts.configure().run(keys, product, created));
    LOG.info("Sale set up in Redis; productId={} epoch={} result={}", product.id(), epoch, word);
  }

  /// Whether `check` has nothing to do.
  ///
  /// @param live counters that were read after the heads, however long ago
  boolean agree(Product product, Map<ProductId, Head> heads, LiveCounters live) {
    return live.known()
        && live.trusted()
        && !"rebuilt".equals(live.state())
        && disagreement(heads.getOrDefault(product.id(), Head.NOTHING), live).isEmpty();
  }

  /// Rebuilds the sale when Redis and the ledger disagree or a rebuild was aborted. Returns true if
  /// it did; then the policy has to be configured again. Does nothing while another node rebuilds
  /// the sale.
  ///
  /// @param live counters that were read after the heads
  boolean check(Product product, Map<ProductId, Head> heads, LiveCounters live) {
    ProductId id = product.id();
    Head head = heads.getOrDefault(id, Head.NOTHING);
    if (!live.known() && head.equals(Head.NOTHING)) {
      // A sale without history is created again.
      return true;
    }
    if ("rebuilt".equals(live.state())) {
      return true;
    }
    boolean untrusted = !live.trusted() && (live.known() || !head.equals(Head.NOTHING));
    if (untrusted) {
      // A relay may be writing the very events that this Redis lacks. The sale sells nothing while
      // it is not trusted, so the next round is soon enough.
      if (!ledger.quiet(id)) {
        return false;
      }
      head = ledger.head(id);
    }
    Optional<String> reason = disagreement(head, live);
    if (reason.isEmpty() && live.known() && untrusted) {
      trust(id, live, head);
      // A relay may have written to the ledger after the head was read.
      head = ledger.head(id);
      live = await(scripts.live().run(scripts.keys(id)));
      reason = disagreement(head, live);
    }
    boolean counted = reason.equals(Optional.of(OTHER_TOTALS)) && live.seq() == 0;
    // A repeated count has the same result, so another rebuild would change nothing.
    return reason.isPresent() && !counted && rebuild(id, head, live, reason.get());
  }

  /// The events that the ledger lacks although all were acknowledged.
  LedgerGaps gaps() {
    return gaps;
  }

  /// Whether the units in Redis add up and the ledger does not contradict them.
  boolean balanced(ProductId product, LiveCounters live) {
    Head head = ledger.head(product);
    if (!live.balanced() || disagreement(head, live).isEmpty()) {
      return live.balanced();
    }
    // Events may have reached the ledger after the counters were read. Only counters that were read
    // after the ledger can contradict it.
    LiveCounters later = await(scripts.live().run(scripts.keys(product)));
    return later.balanced() && disagreement(head, later).isEmpty();
  }

  /// The reason for a rebuild; empty when none is needed.
  private static Optional<String> disagreement(Head head, LiveCounters live) {
    if (!live.known()) {
      return head.equals(Head.NOTHING) ? Optional.empty() : Optional.of("Redis has lost the sale");
    }
    if ("rebuilding".equals(live.state())) {
      return Optional.of("a rebuild was cut short");
    }
    boolean older =
        live.epoch() < head.epoch()
            || (live.epoch() == head.epoch() && live.seq() < head.lastSeq());
    if (older) {
      return Optional.of("Redis is older than the ledger");
    }
    long earlier = head.before(live.epoch());
    if (earlier > live.earlierEvents()) {
      return Optional.of("events of an earlier epoch have arrived since the ledger was counted");
    }
    boolean same = earlier == live.earlierEvents() && head.of(live.epoch()) == live.seq();
    boolean differs = live.held() != head.held() || live.confirmed() != head.confirmed();
    if (same && differs) {
      return Optional.of(OTHER_TOTALS);
    }
    return Optional.empty();
  }

  private boolean rebuild(ProductId product, Head head, LiveCounters live, String reason) {
    long epoch = ledger.openEpoch(product, Math.max(live.epoch(), head.epoch()));
    if (!begins(product, epoch)) {
      return false;
    }
    LOG.error(
        "Rebuilding the sale from the ledger: {}; productId={} epoch={} redis={} ledger={}",
        reason,
        product,
        epoch,
        live,
        head);
    build(product, epoch);
    return true;
  }

  /// Trusts a sale after a restart of Redis: it is as new as the ledger and may be written again.
  private void trust(ProductId product, LiveCounters live, Head head) {
    long epoch = ledger.openEpoch(product, Math.max(live.epoch(), head.epoch()));
    TrustScript.Reply word = await(trust.run(scripts.keys(product), head, epoch));
    LOG.info("Redis has started; productId={} epoch={} sale={}", product, epoch, word);
  }

  Map<ProductId, Head> heads() {
    return ledger.heads();
  }

  Head head(ProductId product) {
    return ledger.head(product);
  }

  /// Opens an epoch in which nothing is sold. Returns false while another node rebuilds the sale.
  private boolean begins(ProductId product, long epoch) {
    SaleKeys keys = scripts.keys(product);
    List<String> lost = List.of(keys.sale(), keys.stock(), keys.purchases(), keys.pending());
    return await(
        RebuildScript.BEGIN.run(
            redis, lost, List.of(Long.toString(epoch), CUT_SHORT_AFTER_MS, me)));
  }

  private void build(ProductId product, long epoch) {
    SaleKeys keys = scripts.keys(product);
    String now = Long.toString(epoch);
    // Nothing is sold from now on. Earlier sales have to be in the snapshot.
    forget(keys, replay.run(new OutboxStream(product, keys.outbox())));
    ledger.settle(product);
    List<KnownOrder> orders = new ArrayList<>();
    long events =
        ledger.orders(
            product, chunk -> chunk.stream().filter(KnownOrder::live).forEach(orders::add));
    Map<String, Long> units = unitsPerBuyer(orders);
    boolean whole = true;
    for (KnownOrder live : orders) {
      whole &= restore(keys, now, live, units);
    }
    end(keys, now, orders, units);
    whole &= finish(keys, now, orders, events);
    LOG.info(
        "product {}: {} orders put back in epoch {}, whole: {}",
        product,
        orders.size(),
        epoch,
        whole);
  }

  /// Deletes orders that the ledger refuses: a payment of one must not change the counted units. If
  /// the ledger takes such an order later, that is noticed as an event of an earlier epoch.
  private void forget(SaleKeys keys, List<OutboxEntry> refused) {
    for (OutboxEntry entry : refused) {
      String order = entry.fields().getOrDefault("order", "");
      if ("reserved".equals(entry.fields().get("kind")) && !order.isEmpty()) {
        var _ = await(redis.send("DEL", keys.order(new OrderId(order))));
        LOG.error("The ledger refuses an order; productId={} orderId={}", keys.product(), order);
      }
    }
  }

  /// Ends orders that ended after the copy was made, and restores those that it lacks, so that a
  /// late payment of them is refunded.
  private void end(SaleKeys keys, String epoch, List<KnownOrder> live, Map<String, Long> units) {
    Set<String> known = live.stream().map(KnownOrder::id).collect(Collectors.toSet());
    ledger.orders(
        keys.product(),
        chunk -> {
          for (KnownOrder order : chunk) {
            if (!order.live() && !known.contains(order.id())) {
              boolean _ = restore(keys, epoch, order, units);
            }
          }
        });
  }

  private boolean finish(SaleKeys keys, String epoch, List<KnownOrder> orders, long events) {
    // Counted in the same snapshot as the restored orders. Released units only increase.
    long held = units(orders, "pending");
    long confirmed = units(orders, "paid");
    Totals totals = ledger.totals(keys.product()).orElse(new Totals(0, held, confirmed, 0));
    return await(
        RebuildScript.END.run(
            redis,
            List.of(keys.sale(), keys.stock()),
            List.of(
                epoch,
                Long.toString(totals.released()),
                Long.toString(held),
                Long.toString(confirmed),
                Integer.toString(totals.batches()),
                Long.toString(events))));
  }

  private static Map<String, Long> unitsPerBuyer(List<KnownOrder> orders) {
    Map<String, Long> units = new HashMap<>();
    for (KnownOrder live : orders) {
      long quantity = quantity(live);
      units.merge("u" + live.fields().get("user"), quantity, Long::sum);
      units.merge("d" + live.fields().get("device"), quantity, Long::sum);
    }
    return units;
  }

  private static long quantity(KnownOrder order) {
    return Long.parseLong(order.fields().getOrDefault("quantity", "0"));
  }

  private static long units(List<KnownOrder> orders, String status) {
    return orders.stream()
        .filter(order -> status.equals(order.fields().get("status")))
        .mapToLong(SaleRebuild::quantity)
        .sum();
  }

  /// Writes the session pointers; in a cluster a session cannot be found by its id without one. An
  /// existing pointer stays, because it may live longer.
  private void point(SessionId session, ProductId product) {
    if (redis.clustered()) {
      String pointer = SaleKeys.pointer(session);
      var _ = await(redis.send("SET", pointer, product.value(), "NX", "EX", SESSION_LIFE));
    }
  }

  private boolean restore(SaleKeys keys, String epoch, KnownOrder live, Map<String, Long> units) {
    Map<String, String> fields = live.fields();
    SessionId session = new SessionId(fields.getOrDefault("session", ""));
    String user = fields.getOrDefault("user", "");
    String device = fields.getOrDefault("device", "");
    List<String> args =
        new ArrayList<>(
            List.of(
                epoch,
                live.id(),
                session.value(),
                keys.product().value(),
                SESSION_LIFE,
                Long.toString(units.getOrDefault("u" + user, 0L)),
                Long.toString(units.getOrDefault("d" + device, 0L)),
                fields.getOrDefault("status", ""),
                fields.getOrDefault("pay_by", "0")));
    fields.forEach(
        (name, value) -> {
          args.add(name);
          args.add(value);
        });
    point(session, keys.product());
    return await(
        RebuildScript.ORDER.run(
            redis,
            List.of(
                keys.sale(),
                keys.order(new OrderId(live.id())),
                keys.session(session),
                keys.purchases(),
                keys.pending(),
                keys.active(),
                keys.ready(),
                keys.waiting(),
                keys.userBought(user),
                keys.deviceBought(device),
                keys.devices()),
            args));
  }

  enum RebuildScript {
    /// Opens a new epoch in which nothing is sold yet.
    BEGIN("rebuild_begin.lua", "BEGUN"),
    ORDER("rebuild_order.lua", "RESTORED"),
    /// Sets the free units as counted in the ledger.
    END("rebuild_end.lua", "ENDED");

    private final LuaScript script;
    private final String done;

    RebuildScript(String file, String done) {
      this.script = LuaScript.load(RebuildScript.class, file);
      this.done = done;
    }

    /// Returns false when another rebuild has overtaken this one.
    Future<Boolean> run(RedisClient redis, List<String> keys, List<String> args) {
      return redis.run(script, keys, args).map(reply -> done.equals(reply.text()));
    }
  }
}
