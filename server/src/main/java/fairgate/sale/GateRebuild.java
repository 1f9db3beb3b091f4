package fairgate.sale;

import static fairgate.sale.SaleSync.await;

import fairgate.catalog.Product;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.RedisClient;
import fairgate.sale.LedgerView.Head;
import fairgate.sale.LedgerView.KnownOrder;
import fairgate.sale.LedgerView.Totals;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Builds a sale's counters and orders in Redis anew from the ledger, after Redis was lost or an
/// older copy of it came back.
///
/// A fresh epoch is opened first: nothing is sold while it is built, and purchase tokens of earlier
/// epochs are void. Places in the queue that survived keep their order; orders that have ended
/// since the copy was made are ended in it too, and count no longer for their buyers. The free
/// units are what the ledger says is released and not sold, so nothing that was sold is sold again.
final class GateRebuild {
  private static final Logger LOG = LoggerFactory.getLogger(GateRebuild.class);
  private static final String SESSION_LIFE = Long.toString(24 * 60 * 60);

  /// Only for a node that died while Redis went on: whatever else cuts a rebuild short is noticed.
  private static final String CUT_SHORT_AFTER_MS = "60000";

  private static final Head NOTHING = new Head(0, 0);

  private final RedisClient redis;
  private final SaleScripts scripts;
  private final LedgerView ledger;
  private final RebuildBeginScript begin;
  private final RebuildOrderScript order;
  private final RebuildEndScript end;
  private final TrustScript trust;
  private final String me;

  /// @param me nobody else's name
  GateRebuild(RedisClient redis, SaleScripts scripts, LedgerView ledger, String me) {
    this.me = me;
    this.redis = redis;
    this.scripts = scripts;
    this.ledger = ledger;
    this.begin = new RebuildBeginScript(redis);
    this.order = new RebuildOrderScript(redis);
    this.end = new RebuildEndScript(redis);
    this.trust = new TrustScript(redis);
  }

  /// Makes the sale in Redis, which does not know it: new, or from the ledger when it has a history
  /// there.
  void create(Product product) {
    // Where nothing was ever released nothing can have been sold: a new sale waits for nobody.
    boolean fresh = ledger.totals(product.id()).map(Totals::released).orElse(0L) == 0;
    Head head = fresh ? null : ledger.heads().get(product.id());
    SaleKeys keys = scripts.keys(product.id());
    if (head == null) {
      ConfigureScript.Word word = await(scripts.configure().run(keys, product, 1));
      LOG.info("product {}: sale set up ({})", product.id(), word);
    } else {
      if (begins(product.id(), head.epoch() + 1)) {
        build(product.id(), head.epoch() + 1);
      }
      ConfigureScript.Word word = await(scripts.configure().run(keys, product, 0));
      LOG.info("product {}: sale set up again ({})", product.id(), word);
    }
  }

  /// Rebuilds the sale when Redis is behind the ledger or a rebuild was cut short; true when it
  /// did, and the policy has to be configured again. While another node is at it, nothing happens.
  boolean check(Product product, Map<ProductId, Head> heads) {
    Head head = heads.getOrDefault(product.id(), NOTHING);
    LiveCounters live = await(scripts.live().run(scripts.keys(product.id())));
    if (head.equals(NOTHING)) {
      trust(product.id(), live, head);
      return false;
    }
    if ("rebuilt".equals(live.state())) {
      return true;
    }
    boolean cutShort = "rebuilding".equals(live.state());
    boolean older =
        live.epoch() < head.epoch()
            || (live.epoch() == head.epoch() && live.seq() < head.lastSeq());
    if (live.known() && !older && !cutShort) {
      trust(product.id(), live, head);
      return false;
    }
    long epoch = Math.max(live.epoch(), head.epoch()) + 1;
    if (!begins(product.id(), epoch)) {
      return false;
    }
    LOG.error(
        "product {}: redis is at {}/{} and the ledger at {}/{}; building the sale anew",
        product.id(),
        live.epoch(),
        live.seq(),
        head.epoch(),
        head.lastSeq());
    build(product.id(), epoch);
    return true;
  }

  /// Redis was started anew, and this sale is as new as the ledger: it may be written to again.
  private void trust(ProductId product, LiveCounters live, Head head) {
    if (live.known() && !live.trusted()) {
      TrustScript.Word word = await(trust.run(scripts.keys(product), head));
      LOG.info("product {}: redis has started; its sale is {}", product, word);
    }
  }

  Map<ProductId, Head> heads() {
    return ledger.heads();
  }

  /// Opens an epoch in which nothing is sold; false while somebody else is at it.
  private boolean begins(ProductId product, long epoch) {
    SaleKeys keys = scripts.keys(product);
    List<String> lost = List.of(keys.sale(), keys.stock(), keys.purchases(), keys.pending());
    return await(begin.run(lost, List.of(Long.toString(epoch), CUT_SHORT_AFTER_MS, me)));
  }

  private void build(ProductId product, long epoch) {
    SaleKeys keys = scripts.keys(product);
    String now = Long.toString(epoch);
    // Nothing is sold any more; what was sold before has to be in the picture.
    ledger.settle();
    List<KnownOrder> orders = new ArrayList<>();
    ledger.orders(product, chunk -> chunk.stream().filter(KnownOrder::live).forEach(orders::add));
    Map<String, Long> units = unitsPerBuyer(orders);
    boolean whole = true;
    for (KnownOrder live : orders) {
      whole &= restore(keys, now, live, units);
    }
    end(keys, now, orders, units);
    whole &= finish(keys, now, orders);
    LOG.info(
        "product {}: {} orders put back in epoch {}, whole: {}",
        product,
        orders.size(),
        epoch,
        whole);
  }

  /// What has ended since an older copy was made has ended in it too, and is known again where it
  /// is not: a late payment of it has to go back.
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

  private boolean finish(SaleKeys keys, String epoch, List<KnownOrder> orders) {
    // Counted from the same picture as the orders put back; released units only ever grow.
    long held = units(orders, "pending");
    long confirmed = units(orders, "paid");
    Totals totals = ledger.totals(keys.product()).orElse(new Totals(0, held, confirmed, 0));
    return await(
        end.run(
            List.of(keys.sale(), keys.stock()),
            List.of(
                epoch,
                Long.toString(totals.released()),
                Long.toString(held),
                Long.toString(confirmed),
                Integer.toString(totals.batches()))));
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
        .mapToLong(GateRebuild::quantity)
        .sum();
  }

  /// In a cluster the session could not be found by its id else.
  private void point(SessionId session, ProductId product) {
    if (redis.clustered()) {
      String pointer = SaleKeys.pointer(session);
      var _ = await(redis.send("SET", pointer, product.value(), "EX", SESSION_LIFE));
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
        order.run(
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
                keys.deviceBought(device)),
            args));
  }
}
