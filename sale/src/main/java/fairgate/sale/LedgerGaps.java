package fairgate.sale;

import fairgate.kernel.ProductId;
import fairgate.platform.events.OutboxReplay;
import fairgate.platform.events.OutboxStream;
import fairgate.sale.LedgerView.Head;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds events that Redis has counted and the ledger lacks although all entries were acknowledged:
/// Kafka or PostgreSQL has lost data. They are written to the ledger again from the entries that
/// the outbox still has; for others an alarm remains. Blocks: for virtual threads only.
final class LedgerGaps {
  private static final Logger LOG = LoggerFactory.getLogger(LedgerGaps.class);

  /// Entries take some milliseconds from Redis to the ledger.
  static final Duration PATIENCE = Duration.ofSeconds(5);

  /// How often it is tried while some stay missing, and how long Kafka is waited for. What it does
  /// not deliver by then may depend on an entry that is missing, and be refused until it comes.
  static final Duration AGAIN = Duration.ofSeconds(30);

  private final LedgerView ledger;
  private final OutboxReplay replay;
  private final LongSupplier nanos;
  private final Map<ProductId, Gap> behind = new ConcurrentHashMap<>();

  /// A ledger that is behind.
  ///
  /// @param tryAt when events may be fed to it, by `nanos`
  /// @param waitUntil until when Kafka is waited for, by `nanos`
  /// @param lost how many stayed missing after that; 0 before
  private record Gap(long tryAt, long waitUntil, long lost) {}

  LedgerGaps(LedgerView ledger, OutboxReplay replay, LongSupplier nanos) {
    this.ledger = ledger;
    this.replay = replay;
    this.nanos = nanos;
  }

  /// How many events are known to be missing, of all sales.
  long missing() {
    return behind.values().stream().mapToLong(Gap::lost).sum();
  }

  /// Whether something of the sale may be missing.
  boolean suspects(ProductId product) {
    return behind.containsKey(product);
  }

  /// Compares a sale with the ledger; about once a second.
  ///
  /// @param head as the ledger was lately
  /// @param arrived whether it has what was on its way in Kafka at that time
  void look(OutboxStream stream, LiveCounters live, Head head, boolean arrived) {
    ProductId product = stream.product();
    long events = live.earlierEvents() + live.seq();
    if (!live.known() || !live.trusted() || head.all() >= events) {
      behind.remove(product);
      return;
    }
    long now = nanos.getAsLong();
    Gap known =
        behind.computeIfAbsent(
            product, _ -> new Gap(now + PATIENCE.toNanos(), now + AGAIN.toNanos(), 0));
    // Unacknowledged entries are on their way. They are checked again soon, because during a sale
    // some nearly always are.
    long tryAt = arrived ? known.tryAt() : Math.max(known.tryAt(), known.waitUntil());
    if (now - tryAt >= 0 && replay.acknowledged(stream)) {
      long lost = feed(stream, events, arrived);
      behind.put(product, new Gap(now + AGAIN.toNanos(), known.waitUntil(), lost));
    }
  }

  /// How many stay missing of the events that Redis had counted before.
  ///
  /// @param waits for what is on its way in Kafka by now
  private long feed(OutboxStream stream, long events, boolean waits) {
    ProductId product = stream.product();
    Head head = waits ? ledger.heads().getOrDefault(product, Head.NOTHING) : ledger.head(product);
    long before = events - head.all();
    if (before <= 0) {
      return 0;
    }
    var _ = replay.run(stream);
    long after = Math.max(0, events - ledger.head(product).all());
    if (after < before) {
      LOG.warn(
          "Fed events to the ledger again that were acknowledged and did not arrive; productId={}"
              + " events={}",
          product,
          before - after);
    }
    if (after > 0) {
      LOG.error(
          "The ledger lacks events that Redis has counted, and the outbox retains them no more;"
              + " productId={} events={}",
          product,
          after);
    }
    return after;
  }
}
