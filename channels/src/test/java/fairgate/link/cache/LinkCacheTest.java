package fairgate.link.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestEngines;
import fairgate.kernel.ServiceUnavailable;
import fairgate.link.cache.LinkCache.Lookup;
import fairgate.link.cache.LinkEntry.State;
import fairgate.link.cache.RedisLinks.LinkKeys;
import fairgate.link.click.Clicks;
import fairgate.link.code.BlockedHosts;
import fairgate.link.code.ForwardQuery;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import fairgate.testkit.Eventually;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// One node's cache on a real Redis, with a database whose answers the test gives.
class LinkCacheTest {
  private static final Vertx VERTX = Vertx.vertx();
  private static final RedisClient REDIS =
      RedisClient.connect(
              VERTX, new RedisSettings(TestEngines.shared().redisUri(), Duration.ofMinutes(1)))
          .await();

  private final AtomicLong nanos = new AtomicLong();
  private final Database database = new Database();
  private final LinkCache cache = cache();
  private final String code = "c" + UUID.randomUUID();

  private static final class Database implements LinkCache.Source {
    final Queue<Promise<Optional<LinkEntry>>> asked = new ConcurrentLinkedQueue<>();

    /// Reads of changes.
    final AtomicInteger reads = new AtomicInteger();

    @Override
    public Future<Optional<LinkEntry>> find(String code) {
      Promise<Optional<LinkEntry>> promise = Promise.promise();
      asked.add(promise);
      return promise.future();
    }

    @Override
    public Future<Changes> changes(long from, Position after, int max) {
      reads.incrementAndGet();
      return Future.succeededFuture(Changes.none(from));
    }

    /// The oldest read that waits, once there is one.
    Promise<Optional<LinkEntry>> next() {
      Eventually.await("the database is asked", () -> !asked.isEmpty());
      return asked.remove();
    }
  }

  private LinkCache cache() {
    return cache(1_000);
  }

  private LinkCache cache(int max) {
    return new LinkCache(
        new LinkCache.Dependencies(
            REDIS,
            database,
            new Clicks(new Metrics()),
            new Metrics(),
            Clock.systemUTC(),
            max,
            nanos::get));
  }

  private LinkEntry link(State state, long version) {
    return LinkEntry.of(code, "https://example.com/" + version, 302, 0, 0, state, version);
  }

  private static LinkEntry entry(Lookup lookup) {
    assertThat(lookup).isInstanceOf(Lookup.Hit.class);
    return ((Lookup.Hit) lookup).entry();
  }

  private void redisTrusted() {
    assertThat(cache.redis().recordChanges(0, 0).await()).isTrue();
  }

  @Test
  void theDatabaseIsNotAskedForChangesWhileItsSnapshotIsTheSame() {
    AtomicReference<String> snapshot = new AtomicReference<>("10:10:");
    ChangeWatch watch = new ChangeWatch(cache, new BlockedHosts(null), snapshot::get);
    Eventually.await(
        "Redis has caught up",
        () -> {
          watch.look();
          return cache.redis().trusted();
        });
    int before = database.reads.get();
    watch.look();
    assertThat(database.reads).hasValue(before);
    snapshot.set("10:12:11");
    watch.look();
    watch.look();
    assertThat(database.reads).hasValue(before + 1);
  }

  @Test
  void redisIsToldNothingWhileNoLinkChanges() {
    AtomicReference<String> snapshot = new AtomicReference<>("10:10:");
    ChangeWatch watch = new ChangeWatch(cache, new BlockedHosts(null), snapshot::get);
    Eventually.await(
        "Redis has caught up",
        () -> {
          watch.look();
          // The catch-up trusts Redis for a moment before it is done.
          return watch.isCaughtUp() && cache.redis().trusted();
        });
    REDIS.send("DEL", LinkKeys.TOLD).await();
    // Something else was written to the database.
    snapshot.set("20:20:");
    watch.look();
    assertThat(REDIS.send("GET", LinkKeys.TOLD).await().isNil()).isTrue();
    // A read notices that the position is lost, and the next look stores it again.
    RedisLinks redis = cache.redis();
    assertThat(redis.get(code).await()).isEqualTo(RedisLinks.CachedValue.NOTHING);
    assertThat(redis.trusted()).isFalse();
    watch.look();
    assertThat(redis.trusted()).isTrue();
    assertThat(REDIS.send("GET", LinkKeys.TOLD).await().isNil()).isFalse();
  }

  @Test
  void aRedisThatHasLostUpdatesIsNotReadBeforeItHasThemAgain() {
    RedisLinks redis = cache.redis();
    redis.putAll(List.of(link(State.ACTIVE, 1))).await();
    assertThat(redis.recordChanges(0, 500).await()).isTrue();
    assertThat(redis.get(code).await().link()).isPresent();
    // Redis comes back with an old copy.
    REDIS.send("SET", LinkKeys.TOLD, "499").await();
    assertThat(redis.get(code).await()).isEqualTo(RedisLinks.CachedValue.NOTHING);
    assertThat(redis.recordChanges(500, 500).await()).isFalse();
    assertThat(redis.get(code).await()).isEqualTo(RedisLinks.CachedValue.NOTHING);
    assertThat(redis.recordChanges(499, 500).await()).isTrue();
    assertThat(redis.get(code).await().link()).isPresent();
  }

  @Test
  void manyWhoAskAtOnceCostOneRead() {
    List<Future<Lookup>> all = IntStream.range(0, 200).mapToObj(_ -> cache.find(code)).toList();
    database.next().complete(Optional.of(link(State.ACTIVE, 1)));
    assertThat(all).allMatch(one -> entry(one.await()).version() == 1);
    assertThat(database.asked).isEmpty();
    assertThat(entry(cache.find(code).await()).version()).isEqualTo(1);
    assertThat(database.asked).isEmpty();
  }

  @Test
  void thatThereIsNoneIsRememberedForThirtySecondsAtMost() {
    Future<Lookup> first = cache.find(code);
    database.next().complete(Optional.empty());
    assertThat(first.await()).isInstanceOf(Lookup.Absent.class);
    assertThat(cache.find(code).await()).isInstanceOf(Lookup.Absent.class);
    assertThat(database.asked).isEmpty();
    nanos.addAndGet(Duration.ofSeconds(30).toNanos());
    Future<Lookup> later = cache.find(code);
    database.next().complete(Optional.empty());
    assertThat(later.await()).isInstanceOf(Lookup.Absent.class);
  }

  @Test
  void aFailureIsNeitherThereNorAbsentAndIsNotRemembered() {
    Future<Lookup> first = cache.find(code);
    database.next().fail(new ServiceUnavailable("gone", Duration.ofSeconds(1)));
    assertThat(first.await()).isInstanceOf(Lookup.Unknown.class);
    Future<Lookup> second = cache.find(code);
    database.next().complete(Optional.of(link(State.ACTIVE, 1)));
    assertThat(entry(second.await()).version()).isEqualTo(1);
  }

  @Test
  void whatWasKnownServesWhileItCannotBeReadAgain() {
    Future<Lookup> first = cache.find(code);
    database.next().complete(Optional.of(link(State.ACTIVE, 1)));
    assertThat(entry(first.await()).version()).isEqualTo(1);
    nanos.addAndGet(Duration.ofHours(2).toNanos());
    Future<Lookup> stale = cache.find(code);
    database.next().fail(new ServiceUnavailable("gone", Duration.ofSeconds(1)));
    assertThat(entry(stale.await()).version()).isEqualTo(1);
  }

  @Test
  void aSlowReaderBringsNothingBackInMemory() {
    Future<Lookup> slow = cache.find(code);
    Promise<Optional<LinkEntry>> read = database.next();
    cache.changed(link(State.DISABLED, 2));
    read.complete(Optional.of(link(State.ACTIVE, 1)));
    assertThat(entry(slow.await()).state()).isEqualTo(State.DISABLED);
    assertThat(entry(cache.find(code).await()).state()).isEqualTo(State.DISABLED);
  }

  @Test
  void aSlowReaderBringsNothingBackInRedis() {
    redisTrusted();
    Future<Lookup> slow = cache.find(code);
    Promise<Optional<LinkEntry>> read = database.next();
    // Another node disables the link and tells Redis; this one has not heard of it yet.
    RedisLinks other = new RedisLinks(REDIS, Clock.systemUTC());
    other.putAll(List.of(link(State.DISABLED, 2))).await();
    read.complete(Optional.of(link(State.ACTIVE, 1)));
    assertThat(entry(slow.await()).state()).isEqualTo(State.ACTIVE);
    // A third node asks Redis; had the slow reader won, it would learn of a link that is no more.
    assertThat(other.recordChanges(0, 0).await()).isTrue();
    assertThat(other.get(code).await().link().orElseThrow().state()).isEqualTo(State.DISABLED);
    cache.changed(link(State.DISABLED, 2));
    assertThat(entry(cache.find(code).await()).state()).isEqualTo(State.DISABLED);
  }

  @Test
  void aSlowReaderWhoFoundNothingDoesNotHideANewLink() {
    redisTrusted();
    Future<Lookup> slow = cache.find(code);
    Promise<Optional<LinkEntry>> read = database.next();
    cache.publish(link(State.ACTIVE, 5)).await();
    read.complete(Optional.empty());
    assertThat(entry(slow.await()).version()).isEqualTo(5);
    assertThat(entry(cache.find(code).await()).version()).isEqualTo(5);
    assertThat(cache.redis().get(code).await().link().orElseThrow().version()).isEqualTo(5);
  }

  @Test
  void anOlderChangeChangesNothing() {
    Future<Lookup> first = cache.find(code);
    database.next().complete(Optional.of(link(State.DISABLED, 4)));
    assertThat(entry(first.await()).version()).isEqualTo(4);
    cache.changed(link(State.ACTIVE, 3));
    assertThat(entry(cache.find(code).await()).state()).isEqualTo(State.DISABLED);
  }

  /// Links in demand are found without the memory that holds them all.
  @Test
  void aLinkInDemandChangesAtOnceAndEndsInTime() {
    String hot = "h" + code.substring(1, 8);
    Future<Lookup> first = cache.find(hot);
    database.next().complete(Optional.of(of(hot, State.ACTIVE, 1)));
    assertThat(entry(first.await()).version()).isEqualTo(1);
    for (int version = 2; version < 40; version++) {
      Lookup before = cache.known(hot);
      assertThat(cache.known(hot)).isNotNull().isSameAs(before);
      cache.changed(of(hot, State.DISABLED, version));
      assertThat(entry(cache.find(hot).await()).version()).isEqualTo(version);
    }
    assertThat(cache.known(hot)).isNotNull();
    cache.clear();
    assertThat(cache.known(hot)).isNull();
    Future<Lookup> again = cache.find(hot);
    database.next().complete(Optional.of(of(hot, State.ACTIVE, 40)));
    assertThat(entry(again.await()).version()).isEqualTo(40);
    assertThat(cache.known(hot)).isNotNull();
    nanos.addAndGet(Duration.ofMinutes(5).toNanos());
    assertThat(cache.known(hot)).isNull();
  }

  /// Those there is no room for are not found among those in demand either, for nobody could tell
  /// of their changes.
  @Test
  void changesOfLinksWithoutRoomAreNotMissed() {
    LinkCache small = cache(10);
    List<String> codes =
        IntStream.range(0, 200).mapToObj(i -> "r" + code.substring(1, 5) + i).toList();
    for (String one : codes) {
      Future<Lookup> found = small.find(one);
      database.next().complete(Optional.of(of(one, State.ACTIVE, 1)));
      assertThat(entry(found.await()).version()).isEqualTo(1);
      Lookup _ = small.known(one);
      Lookup _ = small.known(one);
    }
    codes.forEach(one -> small.changed(of(one, State.DISABLED, 2)));
    for (String one : codes) {
      Lookup known = small.known(one);
      assertThat(known == null || entry(known).state() == State.DISABLED).as(one).isTrue();
    }
  }

  private static LinkEntry of(String code, State state, long version) {
    return LinkEntry.of(code, "https://example.com/" + version, 302, 0, 0, state, version);
  }

  @Test
  void theLifeInRedisEndsWithTheLink() {
    long soon = System.currentTimeMillis() + 60_000;
    RedisLinks redis = new RedisLinks(REDIS, Clock.systemUTC());
    redis.put(LinkEntry.of(code, "https://example.com/", 302, soon, 0, State.ACTIVE, 1)).await();
    assertThat(REDIS.send("PTTL", LinkKeys.link(code)).await().number()).isBetween(1L, 60_000L);
    LinkEntry lasting = link(State.ACTIVE, 2);
    redis.put(lasting).await();
    assertThat(REDIS.send("PTTL", LinkKeys.link(code)).await().number())
        .isBetween(3_200_000L, 3_960_000L);
  }

  @Test
  void aLinkSurvivesItsWayThroughRedis() {
    LinkEntry link =
        LinkEntry.of(code, "https://example.com/a?b=c%20d#e", 307, 1, 9, State.BANNED, 12);
    for (ForwardQuery forward : ForwardQuery.values()) {
      LinkEntry sent = link.forwarding(forward);
      assertThat(LinkEntry.decode(code, sent.encode())).isEqualTo(sent);
    }
    for (String value :
        List.of("12 active 307 1 9 some https://a/", "12 active", "", "a b c d e")) {
      assertThatThrownBy(() -> LinkEntry.decode(code, value))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void moreReadsAtOnceThanTheDatabaseIsAskedForAreToldToComeBack() {
    List<Future<Lookup>> all =
        IntStream.range(0, 1_025).mapToObj(i -> cache.find(code + "-" + i)).toList();
    assertThat(all.getLast().await()).isInstanceOf(Lookup.Unknown.class);
    assertThat(database.asked).hasSize(1_024);
  }
}
