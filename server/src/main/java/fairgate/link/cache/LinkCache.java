package fairgate.link.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import fairgate.link.cache.Lookup.Absent;
import fairgate.link.cache.Lookup.Hit;
import fairgate.link.cache.Lookup.Unknown;
import fairgate.link.click.Clicks;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// From a code to its link: memory, then Redis, then the database, one load per code at a time.
///
/// What was in memory answers while nothing else can; "there is none" is remembered only when the
/// database said so. A change replaces what is here, and what is just being read, by version, so
/// that a slow reader brings nothing back. Safe for use by any thread; futures never fail.
public final class LinkCache {
  /// How many loads ask the database at once; others are told to come back.
  private static final int MOST_LOADS = 1_024;

  private static final Duration FRESH = Duration.ofMinutes(5);
  private static final Duration ABSENT_FROM_REDIS = Duration.ofSeconds(5);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final HotLinks hot = new HotLinks();
  private final Cache<String, Hit> links;
  private final Cache<String, Absent> absent;
  private final ConcurrentMap<String, Flight> flights = new ConcurrentHashMap<>();
  private final AtomicInteger loads = new AtomicInteger();
  private final RedisLinks redis;
  private final LinkSource source;
  private final Clicks clicks;
  private final CacheMeters meters;
  private final LongSupplier nanos;

  /// What the cache stands on.
  ///
  /// @param most links in memory; as many codes that lead nowhere besides
  /// @param nanos `System.nanoTime`, or a test's
  public record Parts(
      RedisClient redis,
      LinkSource source,
      Clicks clicks,
      Metrics metrics,
      Clock clock,
      int most,
      LongSupplier nanos) {}

  /// A load under way, and what overtook it.
  private static final class Flight {
    private final Promise<Lookup> promise = Promise.promise();
    private volatile @Nullable LinkEntry newer;
    private volatile boolean dropped;

    synchronized void overtake(LinkEntry entry) {
      LinkEntry known = newer;
      if (known == null || known.version() < entry.version()) {
        newer = entry;
      }
    }
  }

  public LinkCache(Parts parts) {
    this.links =
        Caffeine.newBuilder()
            .maximumSize(parts.most())
            .evictionListener(LinkCache::evicted)
            .build();
    this.absent = Caffeine.newBuilder().maximumSize(parts.most()).build();
    this.redis = new RedisLinks(parts.redis(), parts.clock());
    this.source = parts.source();
    this.clicks = parts.clicks();
    this.meters = new CacheMeters(parts.metrics());
    this.nanos = parts.nanos();
  }

  /// A change would not find it any more, so those in demand forget it too.
  private static void evicted(@Nullable String code, @Nullable Hit hit, RemovalCause cause) {
    if (hit != null) {
      hit.end();
    }
  }

  RedisLinks redis() {
    return redis;
  }

  LinkSource source() {
    return source;
  }

  /// What memory alone knows, if that is fresh; null = it has to be looked up. Costs no I/O.
  ///
  /// @param code in lower case
  public @Nullable Lookup known(String code) {
    @Nullable Hit[] places = hot.places();
    Hit near = HotLinks.find(places, HotLinks.pack(code));
    if (near != null && !HotLinks.told(near) && fresh(near.until())) {
      meters.memory.increment();
      return near;
    }
    Hit hit = links.getIfPresent(code);
    if (hit != null && fresh(hit.until())) {
      HotLinks.keep(places, hit);
      meters.memory.increment();
      return hit;
    }
    Absent none = hit == null ? absent.getIfPresent(code) : null;
    if (none != null && fresh(none.until())) {
      meters.memoryAbsent.increment();
      return none;
    }
    return null;
  }

  private boolean fresh(long until) {
    return until - nanos.getAsLong() > 0;
  }

  /// Looks a code up.
  public Future<Lookup> find(String code) {
    Lookup known = known(code);
    if (known != null) {
      return Future.succeededFuture(known);
    }
    Flight mine = new Flight();
    Flight other = flights.putIfAbsent(code, mine);
    if (other != null) {
      return other.promise.future();
    }
    var _ =
        redis
            .get(code)
            .onSuccess(
                word -> {
                  if (word.absent()) {
                    meters.redisAbsent.increment();
                    land(code, mine, new Absent(until(ABSENT_FROM_REDIS)));
                  } else if (word.link().isPresent()) {
                    meters.redis.increment();
                    land(code, mine, hit(word.link().get()));
                  } else {
                    load(code, mine);
                  }
                });
    return mine.promise.future();
  }

  private void load(String code, Flight flight) {
    if (loads.incrementAndGet() > MOST_LOADS) {
      loads.decrementAndGet();
      fail(code, flight);
      return;
    }
    var _ =
        source
            .find(code)
            .onComplete(
                found -> {
                  loads.decrementAndGet();
                  if (found.succeeded()) {
                    loaded(code, flight, found.result());
                  } else {
                    fail(code, flight);
                  }
                });
  }

  private void loaded(String code, Flight flight, Optional<LinkEntry> found) {
    if (found.isPresent()) {
      meters.database.increment();
      land(code, flight, hit(found.get()));
    } else {
      meters.databaseAbsent.increment();
      land(code, flight, new Absent(until(RedisLinks.NIL_LIFE)));
    }
    if (redis.trusted()) {
      Future<Void> put = found.map(redis::put).orElseGet(() -> redis.putAbsent(code));
      var _ = put.onFailure(_ -> redis.distrust());
    }
  }

  private void land(String code, Flight flight, Lookup lookup) {
    if (!flight.dropped) {
      keep(code, lookup);
    }
    flights.remove(code, flight);
    // Whoever changed the link before this line left his word in the flight; whoever does so after
    // it finds the link in memory.
    LinkEntry newer = flight.newer;
    if (newer != null) {
      replace(newer);
      flight.promise.complete(hit(newer));
    } else {
      flight.promise.complete(lookup);
    }
  }

  private void fail(String code, Flight flight) {
    flights.remove(code, flight);
    Hit stale = links.getIfPresent(code);
    if (stale != null) {
      meters.stale.increment();
      flight.promise.complete(stale);
    } else {
      meters.unknown.increment();
      flight.promise.complete(new Unknown(RETRY_AFTER));
    }
  }

  /// Hears of a change on this node or another: replaces what is in memory or being read. A change
  /// older than what is known changes nothing.
  public void changed(LinkEntry entry) {
    meters.changes.increment();
    Flight flight = flights.get(entry.code());
    if (flight != null) {
      flight.overtake(entry);
    }
    replace(entry);
  }

  /// The same, told to Redis too. Fails when Redis cannot be told now; it is not asked then until
  /// it has been.
  public Future<Void> publish(LinkEntry entry) {
    changed(entry);
    return redis.put(entry).onFailure(_ -> redis.distrust());
  }

  /// Forgets everything: more has changed than is worth hearing one by one.
  void clear() {
    flights.values().forEach(flight -> flight.dropped = true);
    links.invalidateAll();
    absent.invalidateAll();
    // Afterwards: whoever finds the new places finds none of the old links to put there.
    hot.clear();
  }

  private void replace(LinkEntry entry) {
    String code = entry.code();
    boolean asked = absent.asMap().remove(code) != null;
    if (asked) {
      links.asMap().putIfAbsent(code, hit(entry));
    }
    links.asMap().computeIfPresent(code, (_, had) -> newer(had, entry.version(), () -> hit(entry)));
  }

  private void keep(String code, Lookup lookup) {
    switch (lookup) {
      case Hit hit -> {
        absent.invalidate(code);
        links.asMap().merge(code, hit, (had, now) -> newer(had, now.entry().version(), () -> now));
      }
      case Absent none -> {
        Hit had = links.asMap().remove(code);
        if (had != null) {
          had.end();
        }
        absent.put(code, none);
      }
      case Unknown _ -> throw new IllegalArgumentException("nothing is known of " + code);
    }
  }

  private static Hit newer(Hit had, long version, Supplier<Hit> now) {
    if (had.entry().version() > version) {
      return had;
    }
    had.end();
    return now.get();
  }

  private long until(Duration fresh) {
    double jitter = 0.9 + 0.1 * ThreadLocalRandom.current().nextDouble();
    return nanos.getAsLong() + (long) (fresh.toNanos() * jitter);
  }

  private Hit hit(LinkEntry entry) {
    return new Hit(entry, clicks.spot(entry.code()), until(FRESH));
  }
}
