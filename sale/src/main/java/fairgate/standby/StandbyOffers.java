package fairgate.standby;

import fairgate.kernel.Caller;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.platform.observe.Metrics;
import fairgate.platform.observe.OutageLog;
import fairgate.platform.run.BlockingWork;
import fairgate.platform.run.PeriodicJob;
import fairgate.queue.ListTurnScript;
import fairgate.queue.Place;
import fairgate.queue.QueueService;
import fairgate.queue.WinnerPlaces;
import fairgate.queue.WinnerPlaces.Winner;
import fairgate.sale.PurchaseOutcome;
import fairgate.sale.SaleService;
import fairgate.standby.StandbyEntry.State;
import fairgate.standby.StandbyFeature.OfferNotice;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reserves units that came back for the people on the waiting lists. Runs on all nodes; PostgreSQL
/// lets one node work on one entry of a sale at a time.
///
/// An offer is an ordinary purchase by a session of its own, so all limits of the sale hold and
/// nothing can be oversold. The session and the idempotency key of a try are stored before it, so a
/// try that was interrupted is repeated and reserves once. If somebody else was faster, the entry
/// returns to its place.
final class StandbyOffers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StandbyOffers.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration LEASE = Duration.ofSeconds(30);

  /// How long the session of a try may buy.
  private static final Duration WINDOW = Duration.ofMinutes(2);

  private static final Duration RETENTION = Duration.ofDays(90);
  private static final int PERIODS_BETWEEN_CLEANUPS = 3_600;

  /// The pause after a try that got no units. Each try has a session of its own.
  private static final Duration PAUSE = Duration.ofSeconds(10);

  private static final int MAX_OFFERS = 100;
  private static final Duration CALL_LIMIT = Duration.ofSeconds(5);

  private final PostgresStandby entries;
  private final QueueService queue;
  private final SaleService sales;
  private final WinnerPlaces places;
  private final ListTurnScript turn;
  private final OfferNotice notice;
  private final Meters meters;
  private final Clock clock;
  private final PeriodicJob job = new PeriodicJob("waiting lists", PERIOD, this::run);
  private final OutageLog outage =
      new OutageLog(LOG, "offers of waiting lists", Duration.ofSeconds(5));
  private final Runnable offers;

  /// The sales whose queues may know of somebody on the list. They are told when there is nobody
  /// any more: until then, places that joined later are not admitted.
  private final Set<ProductId> told = ConcurrentHashMap.newKeySet();

  private int periods;

  /// @param notice tells people about their offers
  StandbyOffers(
      PostgresStandby entries,
      QueueService queue,
      SaleService sales,
      OfferNotice notice,
      Meters meters,
      Clock clock) {
    this.entries = entries;
    this.queue = queue;
    this.sales = sales;
    this.places = queue.winners();
    this.turn = queue.listTurn();
    this.notice = notice;
    this.meters = meters;
    this.clock = clock;
    this.offers = entries.resting(this::offer);
  }

  void start() {
    job.start();
  }

  private void run() {
    offers.run();
    if (periods++ % PERIODS_BETWEEN_CLEANUPS == 0) {
      entries.forget(RETENTION);
    }
  }

  /// Looks at the list of a sale in the next pass: its queue knows of somebody on it, and nobody
  /// has repeated that.
  void ask(ProductId product) {
    told.add(product);
  }

  /// Whether a queue may know of anybody on its list.
  private boolean offer() {
    Map<ProductId, Long> lists = entries.products();
    meters.people(lists.values().stream().mapToLong(Long::longValue).sum());
    told.addAll(lists.keySet());
    told.forEach(this::guarded);
    return !told.isEmpty();
  }

  private void guarded(ProductId product) {
    try {
      for (int i = 0; i < MAX_OFFERS && !job.isStopping() && offerNext(product); i++) {
        LOG.debug("Units of a waiting list were offered; productId={}", product);
      }
      outage.worked();
    } catch (ServiceUnavailable e) {
      LOG.debug("Offers will be tried again; productId={}", product, e);
      outage.waits(e);
    } catch (RuntimeException e) {
      LOG.error("Could not offer units of a waiting list; productId={}", product, e);
    }
  }

  /// Offers units to the first entry. True if the next one may be tried.
  ///
  /// People in the queue who began to wait before the registration come first, and later ones wait
  /// for this entry. The next in order waits for as many units as wished.
  private boolean offerNext(ProductId product) {
    StandbyEntry entry = entries.first(product).orElse(null);
    if (entry == null) {
      if (entries.ifNobody(product, () -> tellNobody(product))) {
        told.remove(product);
      }
      return false;
    }
    boolean isTurn = await(entry.turn(turn, entries.registrations(product)));
    if (entry.state() == State.OFFERING) {
      return entries.begin(entry, null, LEASE)
          && resume(entry, Objects.requireNonNull(entry.offer()), isTurn);
    }
    if (!isTurn) {
      return false;
    }
    SessionId offer = queue.newSession(product);
    return entries.begin(entry, offer, LEASE) && reserve(entry, offer, true);
  }

  private void tellNobody(ProductId product) {
    boolean _ = await(turn.nobody(product));
  }

  /// Repeats a try that was interrupted. If Redis has lost its order, the ledger may have it.
  /// Without a node, later places may have been admitted meanwhile: then it is not its turn.
  private boolean resume(StandbyEntry entry, SessionId offer, boolean isTurn) {
    return entries
        .orderOf(entry.product(), offer)
        .map(order -> offered(entry, order))
        .orElseGet(() -> reserve(entry, offer, isTurn));
  }

  private boolean reserve(StandbyEntry entry, SessionId offer, boolean isTurn) {
    String account = entry.user().equals(entry.device()) ? null : entry.user();
    long ends = clock.millis() + WINDOW.toMillis();
    Winner winner = new Winner(offer, entry.device(), account, entry.quantity(), ends);
    // Without a seat, the purchase is refused, or its first reply is repeated.
    if (isTurn) {
      var _ = places.seatFirst(entry.product(), winner);
    }
    return settle(entry, offer, await(purchase(entry, offer)));
  }

  private Future<PurchaseOutcome> purchase(StandbyEntry entry, SessionId offer) {
    return queue
        .look(offer)
        .map(StandbyOffers::token)
        .compose(
            token ->
                sales.reserve(
                    new SaleService.PurchaseRequest(
                        offer,
                        entry.product(),
                        entry.quantity(),
                        token,
                        null,
                        offer.value(),
                        () -> Caller.NONE,
                        null)));
  }

  private static @Nullable String token(Optional<Place.View> view) {
    return view.map(Place.View::token).orElse(null);
  }

  private boolean settle(StandbyEntry entry, SessionId offer, PurchaseOutcome outcome) {
    return switch (outcome) {
      case PurchaseOutcome.Reserved reserved -> offered(entry, reserved.order());
      case PurchaseOutcome.AlreadyPurchased(OrderId order) when order != null ->
          offered(entry, order);
      case PurchaseOutcome.LimitReached _ ->
          refused(entry, offer, ErrorCode.PURCHASE_LIMIT_REACHED);
      case PurchaseOutcome.NetworkLimitReached _ ->
          refused(entry, offer, ErrorCode.NETWORK_LIMIT_REACHED);
      case PurchaseOutcome.TooMany _ -> refused(entry, offer, ErrorCode.INVALID_REQUEST);
      case PurchaseOutcome.Refused refused -> {
        LOG.debug("An offer was not taken; entry={} outcome={}", entry.id(), refused);
        leave(offer);
        meters.lost();
        entries.putBack(entry, offer, PAUSE);
        yield false;
      }
    };
  }

  private boolean offered(StandbyEntry entry, OrderId order) {
    meters.offered();
    entries.offered(entry, order, db -> notice.add(db, entry, order));
    return true;
  }

  private boolean refused(StandbyEntry entry, SessionId offer, ErrorCode reason) {
    leave(offer);
    meters.refused();
    entries.refused(entry, reason.name());
    return true;
  }

  /// Gives up the place of a try, which would keep others from their turn.
  private void leave(SessionId offer) {
    var _ = await(queue.leave(offer));
  }

  private static <T> T await(Future<T> call) {
    return BlockingWork.within(CALL_LIMIT, call, "Redis is too slow");
  }

  @Override
  public void close() {
    job.close();
  }

  static final class Meters {
    private final AtomicLong people = new AtomicLong();
    private final Counter offered;
    private final Counter refused;
    private final Counter lost;

    Meters(Metrics metrics) {
      metrics.gauge(
          "fairgate_waiting_list_people",
          "People on the waiting lists of all sales; the same on every node.",
          people::get);
      this.offered = counter(metrics, "offered");
      this.refused = counter(metrics, "refused");
      this.lost = counter(metrics, "lost");
    }

    private static Counter counter(Metrics metrics, String outcome) {
      return metrics.counter(
          "fairgate_waiting_list_offers_total",
          "Tries of this node to reserve units for people on waiting lists.",
          "outcome",
          outcome);
    }

    void people(long now) {
      people.set(now);
    }

    void offered() {
      offered.increment();
    }

    void refused() {
      refused.increment();
    }

    /// Somebody else got the units.
    void lost() {
      lost.increment();
    }
  }
}
