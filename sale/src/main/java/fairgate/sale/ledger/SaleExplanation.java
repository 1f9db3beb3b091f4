package fairgate.sale.ledger;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.events.OutboxReplay;
import fairgate.platform.events.OutboxStream;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.run.EngineWait;
import fairgate.sale.LedgerView.Head;
import fairgate.sale.LiveCounters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The units of a sale from three sources that are counted independently: Redis (counters of the
/// scripts), the ledger (totals, changed by each event) and the orders (counted row by row). Says
/// which source is right and what to do. Reads only.
public final class SaleExplanation {
  private static final int ATTEMPTS = 30;
  private static final Duration PAUSE = Duration.ofMillis(100);

  public enum Verdict {
    BALANCED,
    /// All sources agree, but the ledger has rejected entries.
    REJECTED_ENTRIES,
    /// Redis has events that are on their way to the ledger.
    LEDGER_BEHIND,
    /// Redis has events that were delivered once and that the ledger has lost.
    LEDGER_LOST_EVENTS,
    /// Stock is released in the ledger and not yet in Redis.
    STOCK_ON_ITS_WAY,
    REDIS_LOST,
    /// Redis is older than the ledger, or being rebuilt.
    REDIS_OLD,
    /// Redis has the same events as the ledger and other units.
    REDIS_WRONG,
    /// The totals and the orders in PostgreSQL differ.
    LEDGER_WRONG,
    REDIS_AWAY,
    POSTGRES_AWAY,
    NO_SUCH_SALE
  }

  private final ProductId product;
  private final @Nullable LiveCounters redis;
  private final @Nullable SaleBooks books;
  private final Verdict verdict;
  private final SaleKeys keys;

  private SaleExplanation(
      ProductId product,
      @Nullable LiveCounters redis,
      @Nullable SaleBooks books,
      Verdict verdict,
      SaleKeys keys) {
    this.product = product;
    this.redis = redis;
    this.books = books;
    this.verdict = verdict;
    this.keys = keys;
  }

  /// Reads and compares the sources. A running sale changes between two reads, so they are read
  /// again for some seconds until Redis and the ledger have the same events. Blocks.
  ///
  /// @param redis empty when it does not answer
  /// @param engineWait how long to wait for a source that does not answer at first
  public static SaleExplanation of(
      Optional<RedisClient> redis,
      PostgresDatabase postgres,
      ProductId product,
      EngineWait engineWait) {
    SaleKeys.Style style = SaleKeys.Style.of(redis.map(RedisClient::clustered).orElse(false));
    SaleKeys keys = SaleKeys.of(product, style);
    SaleExplanation explanation = once(redis, postgres, keys, engineWait);
    for (int i = 1; i < ATTEMPTS && explanation.mayPass(); i++) {
      LockSupport.parkNanos(PAUSE.toNanos());
      explanation = once(redis, postgres, keys, engineWait);
    }
    return explanation;
  }

  private static SaleExplanation once(
      Optional<RedisClient> redis,
      PostgresDatabase postgres,
      SaleKeys keys,
      EngineWait engineWait) {
    ProductId product = keys.product();
    LiveCounters live = redis.isPresent() ? live(redis.get(), product, engineWait) : null;
    SaleBooks books;
    try {
      Optional<SaleBooks> found = engineWait.call(() -> PostgresSaleBooks.read(postgres, product));
      if (found.isEmpty()) {
        return new SaleExplanation(product, live, null, Verdict.NO_SUCH_SALE, keys);
      }
      books = found.get();
    } catch (ServiceUnavailable _) {
      return new SaleExplanation(product, live, null, Verdict.POSTGRES_AWAY, keys);
    }
    if (redis.isPresent() && live != null && events(live) != books.head().all()) {
      // Only counters that were read after the ledger can be older than it.
      live = live(redis.get(), product, engineWait);
    }
    Verdict verdict = live == null ? Verdict.REDIS_AWAY : compare(live, books);
    if (verdict == Verdict.LEDGER_BEHIND && redis.isPresent()) {
      OutboxReplay outbox = new OutboxReplay(redis.get(), Ledger.of(postgres).sink());
      OutboxStream stream = new OutboxStream(product, keys.outbox());
      try {
        if (engineWait.call(() -> outbox.acknowledged(stream))) {
          verdict = Verdict.LEDGER_LOST_EVENTS;
        }
      } catch (ServiceUnavailable _) {
        verdict = Verdict.REDIS_AWAY;
      }
    }
    return new SaleExplanation(product, live, books, verdict, keys);
  }

  private static @Nullable LiveCounters live(
      RedisClient redis, ProductId product, EngineWait engineWait) {
    try {
      return engineWait.answer(() -> LiveCounters.read(redis, product));
    } catch (ServiceUnavailable _) {
      return null;
    }
  }

  /// The number of events that the counters include.
  private static long events(LiveCounters live) {
    return live.earlierEvents() + live.seq();
  }

  private static Verdict compare(LiveCounters live, SaleBooks books) {
    Head head = books.head();
    if (!books.agree()) {
      return Verdict.LEDGER_WRONG;
    }
    if (!live.known()) {
      return Verdict.REDIS_LOST;
    }
    boolean older =
        live.epoch() < head.epoch()
            || (live.epoch() == head.epoch() && live.seq() < head.lastSeq());
    if (older || events(live) < head.all() || live.state().startsWith("rebuil")) {
      return Verdict.REDIS_OLD;
    }
    if (!live.balanced()) {
      return Verdict.REDIS_WRONG;
    }
    if (events(live) > head.all()) {
      return Verdict.LEDGER_BEHIND;
    }
    if (live.released() < books.released()) {
      return Verdict.STOCK_ON_ITS_WAY;
    }
    boolean same =
        live.released() == books.released()
            && live.held() == head.held()
            && live.confirmed() == head.confirmed();
    if (!same) {
      return Verdict.REDIS_WRONG;
    }
    return books.rejected() > 0 ? Verdict.REJECTED_ENTRIES : Verdict.BALANCED;
  }

  /// Whether a later read may find another result: events and stock take some milliseconds from one
  /// source to the other, and orders may be made between the two reads.
  private boolean mayPass() {
    return switch (verdict) {
      case BALANCED, REJECTED_ENTRIES, LEDGER_WRONG, REDIS_AWAY, POSTGRES_AWAY, NO_SUCH_SALE ->
          false;
      case LEDGER_BEHIND,
          LEDGER_LOST_EVENTS,
          STOCK_ON_ITS_WAY,
          REDIS_LOST,
          REDIS_OLD,
          REDIS_WRONG ->
          true;
    };
  }

  public boolean balanced() {
    return verdict == Verdict.BALANCED;
  }

  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    LiveCounters live = redis;
    SaleBooks rows = books;
    lines.add(
        "sale "
            + product.value()
            + (rows == null ? "" : " (" + rows.name() + ")")
            + (live == null || !live.known() ? "" : ", " + live.state()));
    lines.add("");
    lines.add("%-8s %12s %12s %12s %12s".formatted("source", "released", "sold", "held", "free"));
    lines.add(
        live == null
            ? "redis    does not answer"
            : units("redis", live.released(), live.confirmed(), live.held(), live.free()));
    if (rows != null) {
      long held = rows.head().held();
      long sold = rows.head().confirmed();
      lines.add(units("ledger", rows.released(), sold, held, rows.released() - sold - held));
      lines.add(
          units(
              "orders",
              rows.batches(),
              rows.paid(),
              rows.pending(),
              rows.batches() - rows.paid() - rows.pending()));
    } else if (verdict == Verdict.POSTGRES_AWAY) {
      lines.add("ledger   does not answer");
      lines.add("orders   do not answer");
    }
    lines.add("");
    if (live != null && rows != null) {
      lines.add(
          "events   %d in Redis, %d in the ledger, %d rejected by the ledger"
              .formatted(events(live), rows.head().all(), rows.rejected()));
    }
    if (rows != null) {
      lines.add(
          "oversold %s: %d sold or held of %d released"
              .formatted(
                  rows.paid() + rows.pending() > rows.batches() ? "YES" : "no",
                  rows.paid() + rows.pending(),
                  rows.batches()));
    }
    lines.add("");
    lines.add(result() + ": " + meaning());
    action().ifPresent(action -> lines.add("do: " + action));
    return List.copyOf(lines);
  }

  /// The result in two words. What could not be read is neither balanced nor not.
  private String result() {
    return switch (verdict) {
      case BALANCED -> "balanced";
      case REDIS_AWAY, POSTGRES_AWAY -> "NOT KNOWN";
      case NO_SUCH_SALE -> "no such sale";
      case REJECTED_ENTRIES,
          LEDGER_BEHIND,
          LEDGER_LOST_EVENTS,
          STOCK_ON_ITS_WAY,
          REDIS_LOST,
          REDIS_OLD,
          REDIS_WRONG,
          LEDGER_WRONG ->
          "NOT BALANCED";
    };
  }

  private static String units(String source, long released, long sold, long held, long free) {
    String sum = released == sold + held + free ? "" : "   <- released is not the sum";
    return "%-8s %12d %12d %12d %12d%s".formatted(source, released, sold, held, free, sum);
  }

  private String meaning() {
    return switch (verdict) {
      case BALANCED -> "released = sold + held + free in all three sources";
      case REJECTED_ENTRIES ->
          "the sources agree, but the ledger has rejected entries, for example an order beyond the"
              + " stock; the ledger is right";
      case LEDGER_BEHIND ->
          "Redis is right; its last events are on their way to the ledger and the orders";
      case LEDGER_LOST_EVENTS ->
          "Redis is right; the ledger has lost events that it once had, or Kafka has lost them";
      case STOCK_ON_ITS_WAY ->
          "the ledger is right; released stock is on its way to Redis, which sells less meanwhile";
      case REDIS_LOST -> "the ledger and the orders are right; Redis does not have the sale";
      case REDIS_OLD ->
          "the ledger and the orders are right; Redis is older, or the sale is being rebuilt";
      case REDIS_WRONG ->
          "the ledger and the orders are right; the counters in Redis were changed by something"
              + " other than Fairgate";
      case LEDGER_WRONG ->
          "the totals and the orders in PostgreSQL differ, although every transaction changes both:"
              + " somebody changed one of them, or a part of a backup was restored. "
              + rightBooks();
      case REDIS_AWAY -> "Redis does not answer; the ledger and the orders are shown";
      case POSTGRES_AWAY -> "PostgreSQL does not answer; only Redis is shown";
      case NO_SUCH_SALE -> "there is no product " + product.value();
    };
  }

  /// The source in PostgreSQL that Redis confirms.
  private String rightBooks() {
    LiveCounters live = redis;
    SaleBooks rows = books;
    if (live == null || rows == null || !live.known()) {
      return "Redis cannot decide which is right";
    }
    boolean totals =
        live.held() == rows.head().held() && live.confirmed() == rows.head().confirmed();
    boolean orders = live.held() == rows.pending() && live.confirmed() == rows.paid();
    return totals
        ? "Redis agrees with the ledger"
        : orders ? "Redis agrees with the orders" : "Redis agrees with neither";
  }

  private Optional<String> action() {
    return switch (verdict) {
      case BALANCED -> Optional.empty();
      case REJECTED_ENTRIES ->
          Optional.of(
              "read the columns entry and error of dead_letters for this product; refund orders"
                  + " that the ledger does not have");
      case LEDGER_BEHIND ->
          Optional.of(
              "nothing, and run this again. If the number of events in the ledger does not grow,"
                  + " see the runbook: PostgreSQL is down or full");
      case LEDGER_LOST_EVENTS ->
          Optional.of(
              "nothing for half a minute: the nodes replay the last 10,000 events of the sale. If"
                  + " it stays, restore PostgreSQL to its newest state");
      case STOCK_ON_ITS_WAY -> Optional.of("nothing while a node runs; it takes about a second");
      case REDIS_LOST, REDIS_OLD ->
          Optional.of(
              "nothing while a node runs: it rebuilds the sale from the ledger. Wait for `orders put"
                  + " back` in its log");
      case REDIS_WRONG ->
          Optional.of(
              "pause the sale, run `redis-cli DEL %s`, wait for `orders put back` in the log, run"
                      .formatted(keys.sale())
                  + " this again, then resume");
      case LEDGER_WRONG ->
          Optional.of("pause the sale, and restore PostgreSQL to its newest state");
      case REDIS_AWAY -> Optional.of("bring Redis back, and run this again");
      case POSTGRES_AWAY -> Optional.of("bring PostgreSQL back, and run this again");
      case NO_SUCH_SALE -> Optional.of("check the product id");
    };
  }
}
