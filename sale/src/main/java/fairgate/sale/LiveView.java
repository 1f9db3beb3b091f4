package fairgate.sale;

import fairgate.kernel.ProductId;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/// A cache of live counters for readers: at most one Redis call per product and freshness interval.
/// Values are never older than the freshness plus one round trip.
final class LiveView {
  private final Function<ProductId, Future<LiveCounters>> source;
  private final long freshNanos;
  private final Map<ProductId, CachedRead> seen = new ConcurrentHashMap<>();

  private record CachedRead(long askedAt, Future<LiveCounters> answer) {}

  /// @param source reads from Redis; called only for products of the catalog, which bounds the
  ///   cache
  LiveView(Function<ProductId, Future<LiveCounters>> source, Duration fresh) {
    this.source = source;
    this.freshNanos = fresh.toNanos();
  }

  Future<LiveCounters> of(ProductId product) {
    long now = System.nanoTime();
    return seen.compute(
            product,
            (_, last) ->
                last != null && now - last.askedAt() < freshNanos && !last.answer().failed()
                    ? last
                    : new CachedRead(now, source.apply(product)))
        .answer();
  }
}
