package fairgate.link.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.link.cache.LinkCache.Lookup.Absent;
import fairgate.link.cache.LinkCache.Lookup.Hit;
import fairgate.link.cache.LinkCache.Lookup.Unknown;
import fairgate.link.click.Clicks;
import fairgate.platform.http.Reply;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Finds the link of a code: in memory, then in Redis, then in the database, with one load per code
/// at a time.
///
/// Links in memory are served while nothing else answers. Absence is cached only when the database
/// reported it. A change replaces cached links and loads in progress by version, so a slow load
/// never brings back an old link. Safe for use by any thread; futures never fail.
public final class LinkCache {
  /// Most database loads at once; further lookups are answered with `Unknown`.
  private static final int MAX_LOADS = 1_024;

  private static final Duration FRESH = Duration.ofMinutes(5);
  private static final Duration ABSENT_FROM_REDIS = Duration.ofSeconds(5);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final Cache<String, Hit> links;
  private final Cache<String, Absent> absent;
  private final ConcurrentMap<String, Load> loading = new ConcurrentHashMap<>();
  private final AtomicInteger loads = new AtomicInteger();
  private final RedisLinks redis;
  private final Source source;
  private final Clicks clicks;
  private final CacheMeters meters;
  private final LongSupplier nanos;

  /// The parts that the cache needs.
  ///
  /// @param max links in memory; as many codes that lead nowhere besides
  /// @param nanos `System.nanoTime`, or a test's
  public record Dependencies(
      RedisClient redis,
      Source source,
      Clicks clicks,
      Metrics metrics,
      Clock clock,
      int max,
      LongSupplier nanos) {}

  /// A load in progress, and the changes that arrived since it began.
  private static final class Load {
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

  public LinkCache(Dependencies parts) {
    this.links = Caffeine.newBuilder().maximumSize(parts.max()).build();
    this.absent = Caffeine.newBuilder().maximumSize(parts.max()).build();
    this.redis = new RedisLinks(parts.redis(), parts.clock());
    this.source = parts.source();
    this.clicks = parts.clicks();
    this.meters = new CacheMeters(parts.metrics());
    this.nanos = parts.nanos();
  }

  RedisLinks redis() {
    return redis;
  }

  Source source() {
    return source;
  }

  /// The cached and fresh result; null when the code has to be looked up. Does no I/O.
  ///
  /// @param code in lower case
  public @Nullable Lookup known(String code) {
    Hit hit = links.getIfPresent(code);
    if (hit != null && fresh(hit.until())) {
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

  /// Whether a lookup of the code would be the first: no link is in memory, however old, and none
  /// is being loaded.
  public boolean isNew(String code) {
    return links.getIfPresent(code) == null && !loading.containsKey(code);
  }

  private boolean fresh(long until) {
    return until - nanos.getAsLong() > 0;
  }

  public Future<Lookup> find(String code) {
    Lookup known = known(code);
    if (known != null) {
      return Future.succeededFuture(known);
    }
    Load own = new Load();
    Load other = loading.putIfAbsent(code, own);
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
                    finish(code, own, new Absent(until(ABSENT_FROM_REDIS)));
                  } else if (word.link().isPresent()) {
                    meters.redis.increment();
                    finish(code, own, hit(word.link().get()));
                  } else {
                    load(code, own);
                  }
                });
    return own.promise.future();
  }

  private void load(String code, Load load) {
    if (loads.incrementAndGet() > MAX_LOADS) {
      loads.decrementAndGet();
      fail(code, load);
      return;
    }
    var _ =
        source
            .find(code)
            .onComplete(
                found -> {
                  loads.decrementAndGet();
                  if (found.succeeded()) {
                    loaded(code, load, found.result());
                  } else {
                    fail(code, load);
                  }
                });
  }

  private void loaded(String code, Load load, Optional<LinkEntry> found) {
    if (found.isPresent()) {
      meters.database.increment();
      finish(code, load, hit(found.get()));
    } else {
      meters.databaseAbsent.increment();
      finish(code, load, new Absent(until(RedisLinks.NIL_LIFE)));
    }
    if (redis.trusted()) {
      Future<Void> put = found.map(redis::put).orElseGet(() -> redis.putAbsent(code));
      var _ = put.onFailure(_ -> redis.distrust());
    }
  }

  private void finish(String code, Load load, Lookup lookup) {
    if (!load.dropped) {
      keep(code, lookup);
    }
    loading.remove(code, load);
    // A change before this line has set `newer`; a change after it finds the link in memory.
    LinkEntry newer = load.newer;
    if (newer != null) {
      replace(newer);
      load.promise.complete(hit(newer));
    } else {
      load.promise.complete(lookup);
    }
  }

  private void fail(String code, Load load) {
    loading.remove(code, load);
    Hit stale = links.getIfPresent(code);
    if (stale != null) {
      meters.stale.increment();
      load.promise.complete(stale);
    } else {
      meters.unknown.increment();
      load.promise.complete(new Unknown(RETRY_AFTER));
    }
  }

  /// Applies a change made on this node or another: replaces the cached link or the one being
  /// loaded. A change that is older than the known version has no effect.
  public void changed(LinkEntry entry) {
    meters.changes.increment();
    Load load = loading.get(entry.code());
    if (load != null) {
      load.overtake(entry);
    }
    replace(entry);
  }

  /// Applies a change and writes it to Redis. Fails when Redis does not answer; Redis is then not
  /// read until it has the change.
  public Future<Void> publish(LinkEntry entry) {
    changed(entry);
    return redis.put(entry).onFailure(_ -> redis.distrust());
  }

  /// Drops everything: too much has changed to be applied one by one.
  void clear() {
    loading.values().forEach(load -> load.dropped = true);
    links.invalidateAll();
    absent.invalidateAll();
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
        links.invalidate(code);
        absent.put(code, none);
      }
      case Unknown _ -> throw new IllegalArgumentException("nothing is known of " + code);
    }
  }

  private static Hit newer(Hit had, long version, Supplier<Hit> now) {
    return had.entry().version() > version ? had : now.get();
  }

  private long until(Duration fresh) {
    double jitter = 0.9 + 0.1 * ThreadLocalRandom.current().nextDouble();
    return nanos.getAsLong() + (long) (fresh.toNanos() * jitter);
  }

  private Hit hit(LinkEntry entry) {
    return new Hit(entry, clicks.newCounter(entry.code()), until(FRESH));
  }

  /// The metrics of the cache. The hit ratio of a tier is its share of all lookups that reached it.
  static final class CacheMeters {
    final Counter memory;
    final Counter memoryAbsent;
    final Counter redis;
    final Counter redisAbsent;
    final Counter database;
    final Counter databaseAbsent;
    final Counter stale;
    final Counter unknown;
    final Counter changes;

    CacheMeters(Metrics metrics) {
      memory = lookups(metrics, "memory", "hit");
      memoryAbsent = lookups(metrics, "memory", "absent");
      redis = lookups(metrics, "redis", "hit");
      redisAbsent = lookups(metrics, "redis", "absent");
      database = lookups(metrics, "database", "hit");
      databaseAbsent = lookups(metrics, "database", "absent");
      stale =
          metrics.counter(
              "fairgate.link.stale",
              "Links answered from memory while they could not be looked up");
      unknown =
          metrics.counter(
              "fairgate.link.unknown", "Look-ups nobody could answer: no tier, no database");
      changes = metrics.counter("fairgate.link.changes", "Changes of links this node heard of");
    }

    private static Counter lookups(Metrics metrics, String tier, String result) {
      return metrics.counter(
          "fairgate.link.lookups",
          "Look-ups of codes, by the tier that answered",
          "tier",
          tier,
          "result",
          result);
    }
  }

  /// The result of looking up a code. `Absent` means that no such link exists; `Unknown` means that
  /// no store could answer.
  public sealed interface Lookup {
    /// There is such a link.
    ///
    /// @param place the encoded target, for [Reply#withLocation]
    /// @param clicks where its clicks are counted
    /// @param until by the cache's clock: the link is looked up again after that; it serves on if
    ///   that fails
    record Hit(LinkEntry entry, CharSequence place, Clicks.ClickCounter clicks, long until)
        implements Lookup {
      Hit(LinkEntry entry, Clicks.ClickCounter clicks, long until) {
        this(entry, Reply.encodedLocation(entry.url()), clicks, until);
      }

      /// Whether it redirects everybody at any time, except for banned hosts.
      public boolean always() {
        return entry.always();
      }

      public int status() {
        return entry.redirectStatus();
      }
    }

    /// There is no such link.
    ///
    /// @param until by the cache's clock, as above
    record Absent(long until) implements Lookup {}

    /// Neither memory nor Redis has the code, and the database does not answer.
    record Unknown(Duration retryAfter) implements Lookup {}
  }

  /// Where links are kept, as the cache sees it.
  public interface Source {
    /// The link; empty when there is none. Fails when the database cannot be asked.
    Future<Optional<LinkEntry>> find(String code);

    /// The links changed by transactions from a number on, oldest first.
    ///
    /// @param from `next` of an earlier call; -1 for no changes
    /// @param after the end of the previous page; `Position.START` for the first
    Future<Changes> changes(long from, Position after, int max);

    /// The end of a page.
    record Position(long transaction, long version) {
      public static final Position START = new Position(-1, -1);
    }

    /// A host that operators banned, or no longer.
    record Host(String name, boolean banned) {}

    /// A page of changes.
    ///
    /// @param end of this page
    /// @param next the start of the next read: the first transaction that was not committed, or not
    ///   begun, at this read
    record Changes(List<LinkEntry> links, List<Host> hosts, Position end, long next) {
      static Changes none(long from) {
        return new Changes(List.of(), List.of(), Position.START, from);
      }
    }
  }
}
