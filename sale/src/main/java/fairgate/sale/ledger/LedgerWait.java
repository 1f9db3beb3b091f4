package fairgate.sale.ledger;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import fairgate.kernel.OrderId;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;

/// Waits until payments are in the ledger.
///
/// A gateway that gets a success never repeats its message, so a booking in Redis is not enough: a
/// Redis restored from an older copy would lose the payment, and it would never be refunded (ADR
/// 0025). One statement reads all awaited payments, every few milliseconds while there are any.
/// Thread-safe.
public final class LedgerWait {
  private static final long LOOK_MS = 20;
  private static final long READ_MS = 1_500;
  private static final int MOST = 500;

  private final Vertx vertx;
  private final Function<List<Fact>, Future<Set<Fact>>> facts;
  private final Duration patience;
  private final LongSupplier nanos;

  @GuardedBy("this")
  private final Map<Fact, Waiter> waiting = new LinkedHashMap<>();

  @GuardedBy("this")
  private boolean looking;

  public record Fact(OrderId order, String payment) {}

  private record Waiter(Promise<Boolean> known, long until) {}

  /// Creates one that reads the tables of PostgreSQL.
  public static LedgerWait on(PostgresDatabase database, Vertx vertx, Duration patience) {
    return new LedgerWait(
        vertx, new PostgresPaymentFacts(database)::known, patience, System::nanoTime);
  }

  /// @param facts finds those payments that the ledger has for their order or on its list of
  ///   refunds; fails when the ledger does not answer
  /// @param patience the longest that anybody waits
  /// @param nanos as of `System.nanoTime()`
  public LedgerWait(
      Vertx vertx,
      Function<List<Fact>, Future<Set<Fact>>> facts,
      Duration patience,
      LongSupplier nanos) {
    this.vertx = vertx;
    this.facts = facts;
    this.patience = patience;
    this.nanos = nanos;
  }

  /// Whether the ledger gets the payment in time. Never fails. Waits for the same payment are
  /// shared.
  public Future<Boolean> known(Fact fact) {
    Future<Boolean> known;
    synchronized (this) {
      known =
          waiting
              .computeIfAbsent(
                  fact, _ -> new Waiter(Promise.promise(), nanos.getAsLong() + patience.toNanos()))
              .known()
              .future();
      if (looking) {
        return known;
      }
      looking = true;
    }
    later();
    return known;
  }

  private void later() {
    long _ = vertx.setTimer(LOOK_MS, _ -> look());
  }

  private void look() {
    List<Fact> asked;
    synchronized (this) {
      asked = waiting.keySet().stream().limit(MOST).toList();
    }
    facts
        .apply(asked)
        .timeout(READ_MS, TimeUnit.MILLISECONDS)
        .otherwise(Set.of())
        .onSuccess(known -> notifyWaiters(asked, known));
  }

  /// Ends the waits for payments that were found or that took too long. The others go to the end of
  /// the queue, so that all are read in turn.
  private void notifyWaiters(List<Fact> asked, Set<Fact> known) {
    Map<Waiter, Boolean> over = new LinkedHashMap<>();
    boolean more;
    synchronized (this) {
      for (Fact fact : asked) {
        Waiter waiter = waiting.remove(fact);
        if (waiter == null) {
          continue;
        }
        boolean found = known.contains(fact);
        if (found || nanos.getAsLong() - waiter.until() >= 0) {
          over.put(waiter, found);
        } else {
          waiting.put(fact, waiter);
        }
      }
      more = !waiting.isEmpty();
      looking = more;
    }
    over.forEach((waiter, found) -> waiter.known().complete(found));
    if (more) {
      later();
    }
  }
}
