package fairgate.standby;

import fairgate.catalog.Catalog;
import fairgate.catalog.SalePolicy.Fairness;
import fairgate.catalog.SalePolicy.PreQueue;
import fairgate.kernel.Caller;
import fairgate.kernel.Ids;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.queue.Place;
import fairgate.queue.PlaceView;
import fairgate.queue.QueueService;
import fairgate.queue.QueueStatus;
import fairgate.queue.Seat;
import fairgate.sale.LiveCounters;
import fairgate.sale.SaleService;
import fairgate.standby.StandbyEntry.State;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The waiting lists, for buyers. Blocks: for virtual threads.
public final class StandbyService {
  /// The longest list of a sale.
  private static final int MAX_ENTRIES = 20_000;

  private static final long CALL_S = 5;

  private final PostgresStandby entries;
  private final Catalog catalog;
  private final QueueService queue;
  private final SaleService sales;
  private final Ids ids;

  StandbyService(
      PostgresStandby entries, Catalog catalog, QueueService queue, SaleService sales, Ids ids) {
    this.entries = entries;
    this.catalog = catalog;
    this.queue = queue;
    this.sales = sales;
    this.ids = ids;
  }

  /// A person in a sale.
  ///
  /// @param device hash of the browser within the sale
  /// @param user as whom the sale counts the person; `device` for a guest
  public record Person(ProductId product, String device, String user) {}

  /// An entry and the number of people in front of it.
  public record Position(StandbyEntry entry, long ahead) {}

  /// Whether the sale has a waiting list: it is open, everything is paid for, and nobody draws
  /// lots. Without a payment, an offer would be a purchase that nobody has confirmed.
  public boolean isOffered(ProductId product) {
    return catalog
        .find(product)
        .filter(it -> it.policy().payment().required())
        .filter(it -> it.policy().fairness().preQueue() != PreQueue.DRAW)
        .isPresent();
  }

  /// The person's newest entry.
  public Optional<Position> find(Person person) {
    return entries
        .newest(person.product(), person.user(), person.device())
        .map(entry -> new Position(entry, entries.ahead(entry.id())));
  }

  /// The result of a registration.
  public enum Registration {
    /// The person is on the list.
    DONE,
    /// Units are free: the person should buy.
    UNITS_LEFT,
    /// The sale is not open.
    NOT_OPEN,
    /// The person has not joined this sale, so its checks were not passed.
    NO_PLACE,
    /// The place has to be reviewed first, because of its risk.
    HELD,
    /// The person has bought.
    BOUGHT,
    /// The list is full.
    FULL,
    /// As many people of this network have registered as may have a place in the queue.
    NETWORK;

    /// The name in texts.
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// Puts a person on the list, at its end, and gives up the place in the queue. A repeat changes
  /// nothing.
  ///
  /// @param session of the person in the queue of this sale: it has passed the checks of a join
  public Registration register(Person person, SessionId session, Caller caller, int quantity) {
    LiveCounters now = await(sales.live(person.product()));
    if (!now.state().equals("open")) {
      return Registration.NOT_OPEN;
    }
    Place place =
        await(queue.look(session))
            .map(PlaceView::place)
            .filter(found -> found.product().equals(person.product()))
            .orElse(null);
    if (place == null) {
      return Registration.NO_PLACE;
    }
    if (place.status() == QueueStatus.PURCHASED) {
      return Registration.BOUGHT;
    }
    if (place.seat().equals(Seat.HELD.wire())) {
      return Registration.HELD;
    }
    if (now.free() > 0 && !isOnList(person)) {
      return Registration.UNITS_LEFT;
    }
    PostgresStandby.Added added =
        entries.add(
            entry(person, session, quantity),
            queue.networks(person.product(), caller),
            limits(person.product()));
    if (added == PostgresStandby.Added.FULL) {
      return Registration.FULL;
    }
    if (added == PostgresStandby.Added.NETWORK && !isOnList(person)) {
      return Registration.NETWORK;
    }
    // Units are offered when the queue is empty, so nobody waits in both.
    var _ = await(queue.leave(session));
    return Registration.DONE;
  }

  private StandbyEntry entry(Person person, SessionId session, int quantity) {
    return new StandbyEntry(
        "stb_" + ids.nonce(),
        person.product(),
        person.device(),
        person.user(),
        session,
        quantity,
        State.WAITING,
        null,
        null);
  }

  private boolean isOnList(Person person) {
    return find(person)
        .map(found -> found.entry().state())
        .filter(state -> state == State.WAITING || state == State.OFFERING)
        .isPresent();
  }

  /// Networks have as many entries as they may have places in the queue.
  private PostgresStandby.Limits limits(ProductId product) {
    Fairness rules = catalog.find(product).orElseThrow().policy().fairness();
    return new PostgresStandby.Limits(
        MAX_ENTRIES, orNone(rules.placesPerIp()), orNone(rules.placesPerNetwork()));
  }

  private static int orNone(@Nullable Integer limit) {
    return limit == null ? 0 : limit;
  }

  /// Takes a person from the list. A repeat changes nothing.
  public void withdraw(Person person) {
    boolean _ = entries.withdraw(person.product(), person.user(), person.device());
  }

  private static <T> T await(Future<T> call) {
    try {
      return call.await(CALL_S, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("Redis is too slow", Duration.ofSeconds(1));
    }
  }
}
