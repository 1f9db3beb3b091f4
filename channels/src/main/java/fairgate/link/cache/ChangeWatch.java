package fairgate.link.cache;

import fairgate.kernel.ServiceUnavailable;
import fairgate.link.cache.LinkCache.Source.Changes;
import fairgate.link.cache.LinkCache.Source.Position;
import fairgate.link.code.BlockedHosts;
import fairgate.platform.run.BlockingWork;
import fairgate.platform.run.PeriodicJob;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks for changed links five times in two seconds, on every node. All changes are made in the
/// database, so a node sees them even if Redis is unavailable. The database is not asked while no
/// transaction has changed anything in it.
///
/// Each round updates Redis first and then memory, so a later read from Redis is never older than
/// memory. Redis stores the position up to which it is updated, and is updated from there after an
/// outage. While no link changes, Redis is told nothing.
public final class ChangeWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ChangeWatch.class);
  private static final Duration EVERY = Duration.ofMillis(400);
  private static final long CALL_TIMEOUT_S = 10;

  /// A Redis that takes longer must not keep memory from hearing of a change within a second.
  private static final long TELLING_MS = 300;

  /// More at once than this, and memory is emptied instead.
  private static final int PAGE = 2_000;

  private final LinkCache cache;
  private final BlockedHosts hosts;
  private final Supplier<String> snapshot;
  private final PeriodicJob job = new PeriodicJob("link-changes", EVERY, this::look);
  private final AtomicBoolean catching = new AtomicBoolean();

  private volatile boolean caughtUp;

  private volatile long from;

  /// The end of the last changes that this node has seen: there are none between it and `from`.
  private long changesEnd;

  /// The snapshot that the last look has read, or an older one.
  private String read = "";

  /// @param snapshot that of the database (`ChangePoll`), the same as long as nothing was written;
  ///   empty while unknown
  public ChangeWatch(LinkCache cache, BlockedHosts hosts, Supplier<String> snapshot) {
    this.cache = cache;
    this.hosts = hosts;
    this.snapshot = snapshot;
  }

  /// Looks once, and then again and again. Blocks until the first look is done; throws
  /// ServiceUnavailable when the database cannot be asked.
  public void start() {
    try {
      Changes none =
          cache.source().changes(-1, Position.START, 1).await(CALL_TIMEOUT_S, TimeUnit.SECONDS);
      none.hosts().forEach(host -> hosts.set(host.name(), host.banned()));
      from = none.next();
      changesEnd = from;
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("the links' database does not answer", EVERY);
    }
    job.start();
  }

  /// Whether Redis lacks only new changes.
  boolean isCaughtUp() {
    return caughtUp;
  }

  /// A failed look is repeated in the next pass, from the same change.
  void look() {
    try {
      hosts.refresh();
      String current = snapshot.get();
      boolean unchanged = !current.isEmpty() && current.equals(read);
      Changes changes = unchanged ? Changes.none(from) : page(from, Position.START);
      changes.hosts().forEach(host -> hosts.set(host.name(), host.banned()));
      if (changes.links().size() >= PAGE) {
        doubt();
        cache.clear();
      } else {
        boolean news = !changes.links().isEmpty() || !cache.redis().trusted();
        if (caughtUp && news && !tell(changes)) {
          doubt();
        }
        changes.links().forEach(cache::changed);
      }
      from = changes.next();
      if (!changes.links().isEmpty()) {
        changesEnd = from;
      }
      read = current;
      if (!caughtUp && catching.compareAndSet(false, true)) {
        BlockingWork.startBackground("link-catch-up", this::catchUp);
      }
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("the links' database does not answer", EVERY);
    }
  }

  private void doubt() {
    cache.redis().distrust();
    caughtUp = false;
  }

  private boolean tell(Changes changes) {
    RedisLinks redis = cache.redis();
    try {
      return redis
          .putAll(changes.links())
          .compose(_ -> redis.recordChanges(changesEnd, changes.next()))
          .await(TELLING_MS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | RuntimeException e) {
      LOG.debug("Could not publish changed links to Redis", e);
      return false;
    }
  }

  /// Updates Redis with all changes that it missed, page by page; memory does not wait for it.
  private void catchUp() {
    RedisLinks redis = cache.redis();
    try {
      long start = redis.toldUpTo().await(CALL_TIMEOUT_S, TimeUnit.SECONDS);
      if (start >= 0) {
        Changes page = page(start, Position.START);
        while (page.links().size() >= PAGE) {
          redis.putAll(page.links()).await(CALL_TIMEOUT_S, TimeUnit.SECONDS);
          page = page(start, page.end());
        }
        redis.putAll(page.links()).await(CALL_TIMEOUT_S, TimeUnit.SECONDS);
        var _ = redis.recordChanges(start, page.next()).await(CALL_TIMEOUT_S, TimeUnit.SECONDS);
        // Memory may have newer changes by now; the next round decides.
        redis.distrust();
      }
      caughtUp = true;
    } catch (TimeoutException | RuntimeException e) {
      LOG.debug("Could not publish missed link changes to Redis", e);
    } finally {
      catching.set(false);
    }
  }

  private Changes page(long start, Position after) throws TimeoutException {
    return cache.source().changes(start, after, PAGE).await(CALL_TIMEOUT_S, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    job.close();
  }
}
