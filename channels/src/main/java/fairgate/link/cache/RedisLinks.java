package fairgate.link.cache;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/// The second tier of the cache. It is not read while it cannot be updated, because its data may be
/// older than that of the nodes. Every read checks that it has lost no updates.
final class RedisLinks {
  /// How long it holds that a code leads nowhere.
  static final Duration NIL_LIFE = Duration.ofSeconds(30);

  private static final Duration LIFE = Duration.ofHours(1);
  private static final double JITTER = 0.1;

  private final RedisClient redis;
  private final PutLinkScript put;
  private final TellLinksScript tell;
  private final Clock clock;
  private final String tag;
  private volatile boolean trusted;

  /// The position up to which Redis had the changes when this node last knew.
  private volatile long told;

  /// The result of a lookup: a link, a known absence, or neither.
  record CachedValue(Optional<LinkEntry> link, boolean absent) {
    static final CachedValue NOTHING = new CachedValue(Optional.empty(), false);
    static final CachedValue ABSENT = new CachedValue(Optional.empty(), true);
  }

  RedisLinks(RedisClient redis, Clock clock) {
    this.redis = redis;
    this.put = new PutLinkScript(redis);
    this.tell = new TellLinksScript(redis);
    this.clock = clock;
    this.tag = redis.tag(LinkKeys.TAG);
  }

  boolean trusted() {
    return trusted;
  }

  void distrust() {
    trusted = false;
  }

  private String key(String code) {
    return tag + LinkKeys.link(code);
  }

  /// Reads without prolonging anything. Never fails. A Redis that has lost updates is behind the
  /// position that was recorded with them, and is not read.
  Future<CachedValue> get(String code) {
    if (!trusted) {
      return Future.succeededFuture(CachedValue.NOTHING);
    }
    long least = told;
    return redis
        .send("MGET", key(code), tag + LinkKeys.TOLD)
        .map(
            reply -> {
              if (reply.at(1).isNil() || reply.at(1).number() < least) {
                distrust();
                return CachedValue.NOTHING;
              }
              return read(code, reply.textAt(0));
            })
        .otherwise(
            failure -> {
              distrust();
              return CachedValue.NOTHING;
            });
  }

  private static CachedValue read(String code, String value) {
    if (value.isEmpty()) {
      return CachedValue.NOTHING;
    }
    if (value.equals(LinkEntry.NIL)) {
      return CachedValue.ABSENT;
    }
    try {
      return new CachedValue(Optional.of(LinkEntry.decode(code, value)), false);
    } catch (IllegalArgumentException _) {
      return CachedValue.NOTHING;
    }
  }

  /// Stores the link, unless a newer version is there.
  Future<Void> put(LinkEntry entry) {
    long life =
        (long)
            (LIFE.toMillis() * (1 + JITTER * (ThreadLocalRandom.current().nextDouble() * 2 - 1)));
    if (entry.expiresAt() != 0) {
      life = Math.min(life, entry.expiresAt() - clock.millis());
    }
    if (life <= 0) {
      return Future.succeededFuture();
    }
    return put.run(key(entry.code()), entry.version(), Duration.ofMillis(life), entry.encode())
        .mapEmpty();
  }

  /// Puts that there is no such link, unless one is there.
  Future<Void> putAbsent(String code) {
    return put.run(key(code), 0, NIL_LIFE, LinkEntry.NIL).mapEmpty();
  }

  Future<Void> putAll(List<LinkEntry> changed) {
    return Future.all(changed.stream().map(this::put).toList()).mapEmpty();
  }

  /// Records an update. Redis may be read once it has all changes up to `to`.
  ///
  /// @param from the update has all changes from here on
  /// @return whether it has
  Future<Boolean> recordChanges(long from, long to) {
    return tell.run(from, to)
        .map(
            behind -> {
              boolean complete = behind < 0;
              if (complete) {
                told = to;
              }
              trusted = complete;
              return complete;
            });
  }

  /// The position up to which Redis has the changes; -1 if it has none.
  Future<Long> toldUpTo() {
    return redis
        .send("GET", tag + LinkKeys.TOLD)
        .map(reply -> reply.isNil() ? -1L : Long.parseLong(reply.text()));
  }

  /// `put_link.lua`: a link put into Redis unless a newer one is there. Calls that wait at the same
  /// time share a run.
  static final class PutLinkScript {
    private static final LuaScript SCRIPT = LuaScript.load(PutLinkScript.class, "put_link.lua");
    private static final ScriptBatcher.Shared SHARED =
        new ScriptBatcher.Shared("links", List.of(), List.of());
    private static final int MAX_BATCH_SIZE = 64;

    private final ScriptBatcher batcher;

    PutLinkScript(RedisClient redis) {
      this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_BATCH_SIZE);
    }

    /// The script's reply.
    Future<String> run(String key, long version, Duration life, String value) {
      return batcher.call(
          SHARED,
          new ScriptBatcher.Item(
              List.of(key),
              List.of(Long.toString(version), Long.toString(life.toMillis()), value)));
    }
  }

  /// `tell_links.lua`: records the position up to which Redis has the changes.
  record TellLinksScript(RedisClient redis) {
    private static final LuaScript SCRIPT = LuaScript.load(TellLinksScript.class, "tell_links.lua");
    private static final String BEHIND = "BEHIND ";

    /// The position from which Redis must be updated again, or -1 if it has all changes up to `to`.
    Future<Long> run(long from, long to) {
      return redis
          .run(
              SCRIPT,
              List.of(redis.tag(LinkKeys.TAG) + LinkKeys.TOLD),
              List.of(Long.toString(from), Long.toString(to)))
          .map(
              reply ->
                  reply.text().startsWith(BEHIND)
                      ? Long.parseLong(reply.text().substring(BEHIND.length()))
                      : -1L);
    }
  }

  /// The Redis keys of links; `docs/redis-keys.md` describes their values.
  static final class LinkKeys {
    /// The tag of all keys in a cluster: the position of updates must be lost together with the
    /// cached links.
    static final String TAG = "sl";

    /// The position up to which Redis has the changes.
    static final String TOLD = "links:told";

    private LinkKeys() {}

    static String link(String code) {
      return "sl:" + code;
    }
  }
}
