package fairgate.sale;

import static fairgate.sale.SaleSync.await;

import fairgate.catalog.Product;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.RedisClient;
import fairgate.sale.ledger.Ledger;
import fairgate.sale.ledger.LedgerOrder;
import fairgate.sale.ledger.LedgerSnapshot;
import fairgate.sale.ledger.LedgerSnapshot.Position;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Builds a sale's counters and orders in Redis anew from the ledger, after Redis was lost or an
/// older copy of it came back.
///
/// A fresh epoch is opened first: nothing is sold while it is built, and purchase tokens of earlier
/// epochs are void. Places in the queue that survived keep their order. The free units are what the
/// ledger says is released and not sold, so nothing that was sold is sold again.
final class GateRebuild {
  private static final Logger LOG = LoggerFactory.getLogger(GateRebuild.class);
  private static final String SESSION_LIFE = Long.toString(24 * 60 * 60);

  private static final String CUT_SHORT_AFTER_MS = "60000";

  private final SaleScripts scripts;
  private final Ledger ledger;
  private final RebuildBeginScript begin;
  private final RebuildOrderScript order;
  private final RebuildEndScript end;

  GateRebuild(RedisClient redis, SaleScripts scripts, Ledger ledger) {
    this.scripts = scripts;
    this.ledger = ledger;
    this.begin = new RebuildBeginScript(redis);
    this.order = new RebuildOrderScript(redis);
    this.end = new RebuildEndScript(redis);
  }

  /// Makes the sale in Redis, which does not know it: new, or from the ledger when it has a history
  /// there.
  void create(Product product) {
    Position head = ledger.positions().get(product.id());
    SaleKeys keys = scripts.keys(product.id());
    if (head == null) {
      ConfigureScript.Word word = await(scripts.configure().run(keys, product, 1));
      LOG.info("product {}: sale set up ({})", product.id(), word);
    } else {
      rebuild(product.id(), head.epoch() + 1);
      ConfigureScript.Word word = await(scripts.configure().run(keys, product, 0));
      LOG.info("product {}: sale set up again ({})", product.id(), word);
    }
  }

  /// Rebuilds the sale when Redis is behind the ledger or a rebuild was cut short; true when it
  /// did, and the policy has to be configured again.
  boolean check(Product product, Map<ProductId, Position> heads) {
    Position head = heads.get(product.id());
    if (head == null) {
      return false;
    }
    LiveCounters live = await(scripts.live().run(scripts.keys(product.id())));
    if ("rebuilt".equals(live.state())) {
      return true;
    }
    boolean cutShort = "rebuilding".equals(live.state());
    boolean older =
        live.epoch() < head.epoch()
            || (live.epoch() == head.epoch() && live.seq() < head.lastSeq());
    if (live.known() && !older && !cutShort) {
      return false;
    }
    LOG.error(
        "product {}: redis is at {}/{} and the ledger at {}/{}; building the sale anew",
        product.id(),
        live.epoch(),
        live.seq(),
        head.epoch(),
        head.lastSeq());
    rebuild(product.id(), Math.max(live.epoch(), head.epoch()) + 1);
    return true;
  }

  Map<ProductId, Position> heads() {
    return ledger.positions();
  }

  private void rebuild(ProductId product, long epoch) {
    SaleKeys keys = scripts.keys(product);
    String now = Long.toString(epoch);
    List<String> held = List.of(keys.sale(), keys.stock(), keys.purchases(), keys.pending());
    if (!await(begin.run(held, List.of(now, CUT_SHORT_AFTER_MS)))) {
      return;
    }
    Map<String, Long> units = new HashMap<>();
    List<LedgerOrder> orders = new ArrayList<>();
    LedgerSnapshot books =
        ledger
            .snapshot(
                product,
                chunk -> {
                  orders.addAll(chunk);
                  for (LedgerOrder one : chunk) {
                    units.merge(keys.userBought(one.buyer().user()), units(one), Long::sum);
                    units.merge(keys.deviceBought(one.buyer().device()), units(one), Long::sum);
                  }
                })
            .orElse(
                new LedgerSnapshot(
                    product, new LedgerSnapshot.Totals(0, 0, 0), 0, new Position(0, 0, 0)));
    boolean whole = true;
    for (LedgerOrder one : orders) {
      whole &= restore(keys, now, one, units);
    }
    whole &= finish(keys, now, books);
    LOG.info(
        "product {}: {} orders put back in epoch {}, whole: {}",
        product,
        orders.size(),
        epoch,
        whole);
  }

  private boolean finish(SaleKeys keys, String epoch, LedgerSnapshot books) {
    LedgerSnapshot.Totals totals = books.totals();
    return await(
        end.run(
            List.of(keys.sale(), keys.stock()),
            List.of(
                epoch,
                Long.toString(totals.released()),
                Long.toString(totals.held()),
                Long.toString(totals.confirmed()),
                Integer.toString(books.lastRelease()))));
  }

  private boolean restore(SaleKeys keys, String epoch, LedgerOrder live, Map<String, Long> units) {
    LedgerOrder.Buyer buyer = live.buyer();
    SessionId session = new SessionId(buyer.session());
    String user = keys.userBought(buyer.user());
    String device = keys.deviceBought(buyer.device());
    List<String> args =
        new ArrayList<>(
            List.of(
                epoch,
                live.id().value(),
                session.value(),
                keys.product().value(),
                SESSION_LIFE,
                Long.toString(units.getOrDefault(user, 0L)),
                Long.toString(units.getOrDefault(device, 0L)),
                live.standing().status().word(),
                payBy(live)));
    args.addAll(fields(keys, live));
    return await(
        order.run(
            List.of(
                keys.sale(),
                keys.order(live.id()),
                keys.session(session),
                keys.purchases(),
                keys.pending(),
                keys.active(),
                keys.ready(),
                keys.waiting(),
                user,
                device),
            args));
  }

  /// The order as the purchase script writes it. How much was left at its birth is not in the
  /// books.
  private static List<String> fields(SaleKeys keys, LedgerOrder live) {
    LedgerOrder.Standing standing = live.standing();
    String payment = standing.paid().payment();
    List<String> fields =
        new ArrayList<>(
            List.of(
                "product_id", keys.product().value(),
                "session", live.buyer().session(),
                "user", live.buyer().user(),
                "device", live.buyer().device(),
                "quantity", Integer.toString(live.quantity()),
                "amount", Long.toString(live.amount().minorUnits()),
                "currency", live.amount().currency(),
                "status", standing.status().word()));
    fields.addAll(
        List.of(
            "first", standing.payBy() == null ? "paid" : "pending",
            "version", Integer.toString(standing.version()),
            "created_at", Long.toString(standing.createdAt().toEpochMilli()),
            "updated_at", Long.toString(standing.updatedAt().toEpochMilli()),
            "pay_by", payBy(live),
            "remaining", "0"));
    if (payment != null) {
      fields.addAll(List.of("payment", payment));
    }
    return fields;
  }

  private static String payBy(LedgerOrder live) {
    Instant payBy = live.standing().payBy();
    return payBy == null ? "0" : Long.toString(payBy.toEpochMilli());
  }

  private static long units(LedgerOrder order) {
    return order.quantity();
  }
}
