package fairgate.standby;

import fairgate.catalog.Catalog;
import fairgate.catalog.SalePolicy.Fairness;
import fairgate.catalog.SalePolicy.PreQueue;
import fairgate.kernel.Decision;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.Ids;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.kernel.Word;
import fairgate.platform.http.Refusal;
import fairgate.platform.postgres.Db;
import fairgate.platform.run.BlockingWork;
import fairgate.queue.JoinGate;
import fairgate.queue.LeaveOutcome;
import fairgate.queue.Place;
import fairgate.queue.QueueService;
import fairgate.queue.QueueService.Seating;
import fairgate.queue.Seat;
import fairgate.sale.LiveCounters;
import fairgate.sale.SaleService;
import fairgate.standby.StandbyEntry.State;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The waiting lists, for buyers. Blocks: for virtual threads.
public final class StandbyService {
  private static final int MAX_ENTRIES = 20_000;

  private static final Duration CALL_LIMIT = Duration.ofSeconds(5);

  private final PostgresStandby entries;
  private final Catalog catalog;
  private final QueueService queue;
  private final SaleService sales;
  private final Ids ids;
  private final Function<QueueService.JoinRequest, JoinGate.Verdict> judge;
  private final BiPredicate<Db, String> pardons;

  StandbyService(
      PostgresStandby entries,
      Catalog catalog,
      QueueService queue,
      SaleService sales,
      Ids ids,
      Function<QueueService.JoinRequest, JoinGate.Verdict> judge,
      BiPredicate<Db, String> pardons) {
    this.entries = entries;
    this.catalog = catalog;
    this.queue = queue;
    this.sales = sales;
    this.ids = ids;
    this.judge = judge;
    this.pardons = pardons;
  }

  /// A person in a sale.
  ///
  /// @param device hash of the browser within the sale
  /// @param user as whom the sale counts the person; `device` for a guest
  public record Person(ProductId product, String device, String user) {}

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

  public Optional<Position> find(Person person) {
    return entries
        .newest(person.product(), person.user(), person.device())
        .map(entry -> new Position(entry, entries.ahead(entry.id())));
  }

  /// A wish to be on the list.
  ///
  /// @param session of the person in the queue of this sale: it has passed the checks of a join
  /// @param join the request, as it would join the sale
  public record Wish(
      Person person, SessionId session, int quantity, QueueService.JoinRequest join) {}

  public enum Registration implements Word {
    DONE(null),
    /// Units are free: the person should buy.
    UNITS_LEFT(ErrorCode.SALE_STATE_CONFLICT),
    NOT_OPEN(ErrorCode.SALE_NOT_OPEN),
    /// The person has not joined this sale, so its checks were not passed.
    NO_PLACE(ErrorCode.NOT_IN_QUEUE),
    /// The place has to be reviewed first, because of its risk.
    HELD(ErrorCode.NOT_READY),
    RISK(ErrorCode.RISK_REFUSED),
    BOUGHT(ErrorCode.ALREADY_PURCHASED),
    FULL(ErrorCode.SALE_STATE_CONFLICT),
    /// As many people of this network have registered as may have a place in the queue.
    NETWORK(ErrorCode.NETWORK_LIMIT_REACHED);

    private final @Nullable ErrorCode code;

    Registration(@Nullable ErrorCode code) {
      this.code = code;
    }
  }

  /// A registration and, unless it is done, its refusal. One because of risk names its decision and
  /// the address of the appeal.
  public record Outcome(Registration word, @Nullable Refusal refusal) {
    public static Outcome of(Registration word) {
      return new Outcome(word, word.code == null ? null : Refusal.of(word.code));
    }

    private static Outcome held(String decision) {
      return new Outcome(
          Registration.HELD,
          Refusal.of(ErrorCode.NOT_READY)
              .with("seat", Seat.HELD.wire())
              .with("decision_id", decision)
              .with("appeal_url", Decision.APPEAL_PATH + decision));
    }
  }

  /// Puts a person on the list, at its end, and gives up the place in the queue. A repeat changes
  /// nothing.
  ///
  /// A person who is seated behind others in the queue, or would be as a new join, is behind all
  /// others on the list, also those who register later. A person who would be held for a review
  /// gets no offer before it.
  public Outcome register(Wish wish) {
    ProductId product = wish.person().product();
    LiveCounters now = await(sales.live(product));
    if (!now.state().equals("open")) {
      return Outcome.of(Registration.NOT_OPEN);
    }
    Place place =
        await(queue.look(wish.session()))
            .map(Place.View::place)
            .filter(found -> found.product().equals(product))
            .orElse(null);
    if (place == null) {
      return Outcome.of(Registration.NO_PLACE);
    }
    if (place.status() == Place.Status.PURCHASED) {
      return Outcome.of(Registration.BOUGHT);
    }
    Seating seating = await(queue.seating(product, wish.session()));
    if (seating.seat() == Seat.HELD && entries.isSeated(seating, pardons)) {
      return Outcome.held(Objects.requireNonNull(seating.decision()));
    }
    if (now.free() > 0 && !isOnList(wish.person())) {
      return Outcome.of(Registration.UNITS_LEFT);
    }
    // A place that was judged and moved once keeps its seat.
    return seating.decision() == null
        ? judged(wish, judge.apply(wish.join()))
        : add(wish, Seating.IN_ORDER).outcome();
  }

  private Outcome judged(Wish wish, JoinGate.Verdict verdict) {
    Registered registered = null;
    try {
      Refusal refusal = verdict.refusal();
      // A harder challenge was solved for the place.
      registered =
          refusal != null && verdict.level() == JoinGate.Level.NONE
              ? new Registered(new Outcome(Registration.RISK, refusal), false)
              : add(wish, new Seating(verdict.seat(), seatedBy(verdict)));
      return registered.outcome();
    } finally {
      if (registered == null || !registered.isRepeat()) {
        verdict.recorder().run();
      }
    }
  }

  private static @Nullable String seatedBy(JoinGate.Verdict verdict) {
    return verdict.seat() == Seat.IN_ORDER ? null : verdict.decision();
  }

  private record Registered(Outcome outcome, boolean isRepeat) {}

  /// @param judged the seat by the judgement of the registration
  private Registered add(Wish wish, Seating judged) {
    Person person = wish.person();
    PostgresStandby.Added added =
        entries.add(
            entry(wish),
            queue.networks(person.product(), wish.join().caller()),
            limits(person.product()),
            db -> leave(db, wish, judged));
    boolean isRepeat = added != PostgresStandby.Added.ADDED && isOnList(person);
    if (added == PostgresStandby.Added.FULL) {
      return new Registered(Outcome.of(Registration.FULL), isRepeat);
    }
    if (added == PostgresStandby.Added.NETWORK && !isRepeat) {
      return new Registered(Outcome.of(Registration.NETWORK), false);
    }
    if (added == PostgresStandby.Added.ADDED) {
      tellQueue(person.product());
    } else {
      // Nobody waits in both.
      var _ = await(queue.leave(wish.session()));
    }
    return new Registered(Outcome.of(Registration.DONE), isRepeat);
  }

  /// From now on, who joins the queue waits for the list.
  private void tellQueue(ProductId product) {
    StandbyEntry first = entries.first(product).orElse(null);
    if (first != null) {
      boolean _ = await(first.turn(queue.listTurn(), entries.registrations(product)));
    }
  }

  /// Gives up the place in the queue. Its last seat counts: a purchase may have moved it.
  private Seating leave(Db db, Wish wish, Seating judged) {
    if (await(queue.leave(wish.session())) instanceof LeaveOutcome.UnknownSession) {
      throw new ServiceUnavailable("the session has just ended", Duration.ofSeconds(1));
    }
    Seating last = await(queue.seating(wish.person().product(), wish.session()));
    boolean isPardoned = last.decision() != null && pardons.test(db, last.decision());
    return isPardoned || last.seat().compareTo(judged.seat()) < 0 ? judged : last;
  }

  private StandbyEntry entry(Wish wish) {
    return new StandbyEntry(
        "stb_" + ids.nonce(),
        wish.person().product(),
        wish.person().device(),
        wish.person().user(),
        wish.session(),
        wish.quantity(),
        State.WAITING,
        null,
        null,
        Seat.IN_ORDER,
        null,
        null);
  }

  private boolean isOnList(Person person) {
    return find(person).map(Position::entry).filter(StandbyEntry::isLive).isPresent();
  }

  /// Networks have as many entries as they may have places in the queue.
  private PostgresStandby.Limits limits(ProductId product) {
    Fairness rules = catalog.find(product).orElseThrow().fairness();
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
    return BlockingWork.within(CALL_LIMIT, call, "Redis is too slow");
  }
}
