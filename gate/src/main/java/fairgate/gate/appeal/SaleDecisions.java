package fairgate.gate.appeal;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import fairgate.kernel.ProductId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/// Counts the decisions of each sale, and publishes them with its appeals. Decisions are counted in
/// memory and added to PostgreSQL every few seconds, so a flood of refusals causes no writes.
public final class SaleDecisions {
  private static final Duration CACHED = Duration.ofMinutes(1);
  private static final int MAX_CACHED = 1_000;

  /// Smaller numbers are not published: they could be about a known person.
  static final int SMALLEST = 5;

  /// The published value of a number from one to four.
  public static final long FEW = -1;

  private final PostgresSaleDecisions store;
  private final Predicate<ProductId> exists;
  private final Map<Key, LongAdder> counts = new ConcurrentHashMap<>();
  private final LoadingCache<ProductId, Table> tables =
      Caffeine.newBuilder().maximumSize(MAX_CACHED).expireAfterWrite(CACHED).build(this::load);

  private record Key(ProductId product, String code) {}

  /// The public table of a sale. Numbers from one to four are [#FEW].
  ///
  /// @param decisions refusals of people that named the sale, and demotions in it
  /// @param decided appeals that have been decided
  /// @param won appeals that were granted
  /// @param medianSeconds from appeal to decision; [#FEW] when fewer than five were decided
  public record Table(long decisions, long appeals, long decided, long won, long medianSeconds) {}

  /// @param exists whether there is a sale of this product: callers could name any
  SaleDecisions(PostgresSaleDecisions store, Predicate<ProductId> exists) {
    this.store = store;
    this.exists = exists;
  }

  /// Counts a decision. Never blocks.
  ///
  /// @param code one of few words
  void count(ProductId product, String code) {
    if (exists.test(product)) {
      counts.computeIfAbsent(new Key(product, code), _ -> new LongAdder()).increment();
    }
  }

  /// Adds the counts to PostgreSQL. They are kept while it is away.
  void write() {
    List<Key> keys = new ArrayList<>();
    List<Long> numbers = new ArrayList<>();
    counts.entrySet().stream()
        .sorted(
            Map.Entry.comparingByKey(
                java.util.Comparator.comparing((Key key) -> key.product())
                    .thenComparing(Key::code)))
        .forEach(
            entry -> {
              long number = entry.getValue().sum();
              if (number > 0) {
                keys.add(entry.getKey());
                numbers.add(number);
              }
            });
    if (keys.isEmpty()) {
      return;
    }
    store.addDecisions(
        keys.stream().map(key -> key.product().value()).toArray(String[]::new),
        keys.stream().map(Key::code).toArray(String[]::new),
        numbers.toArray(Long[]::new));
    for (int i = 0; i < keys.size(); i++) {
      LongAdder counter = counts.get(keys.get(i));
      if (counter != null) {
        counter.add(-numbers.get(i));
      }
    }
  }

  /// The table of a sale, at most a minute old. Blocks.
  public Table table(ProductId product) {
    return tables.get(product);
  }

  private Table load(ProductId product) {
    PostgresSaleDecisions.Statistics all = store.statistics(product);
    return new Table(
        published(all.decisions()),
        published(all.appeals()),
        published(all.decided()),
        published(all.won()),
        all.decided() < SMALLEST ? FEW : Math.round(all.medianSeconds()));
  }

  private static long published(long number) {
    return number > 0 && number < SMALLEST ? FEW : number;
  }
}
