package fairgate.line;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stores each incoming event once, in Redis, and loses none. An event is stored with its owner's
/// lease before the webhook is acknowledged; after the lease has expired, another node takes the
/// event over. The inbox records the channel of an answer before the answer is sent, so the next
/// owner knows what may have been delivered.
///
/// While Redis is away or hangs, events are kept in this node's memory: still each once, but a
/// crash loses them. Redis may have stored those of a hanging call; once it answers, they are
/// settled there, before another node could take them over.
final class Inbox {
  private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);

  /// How long an event id is remembered.
  static final Duration MARK_LIFE = Duration.ofDays(3);

  private static final Duration LATER_DELAY = Duration.ofSeconds(2);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

  /// Equal to the capacity of the chat queues, because an event that is not in Redis must not be
  /// dropped by them.
  private static final int MAX_MEMORY_ONLY = 10_000;

  private static final int MAX_CLAIMED = 250;
  private static final int TRIES = 3;
  private static final long CALL_TIMEOUT_MS = 1_500;

  /// The longest wait for Redis before events are kept in memory. LINE should get its answer within
  /// a second.
  private static final long ACCEPT_TIMEOUT_MS = 600;

  private final RedisClient redis;
  private final LineMeters meters;
  private final AcceptEventScript accept;
  private final ClaimEventsScript claim;
  private final MarkEventScript mark;
  private final Map<String, OwnedEvent> inFlight = new ConcurrentHashMap<>();
  private final Map<String, Boolean> idsInMemory;

  /// Events in memory that Redis may have stored as well, with the number of times that Redis said
  /// it had not. The call may arrive after that, over an older connection.
  private final Map<String, Integer> unsettled = new ConcurrentHashMap<>();

  private volatile boolean degraded;

  /// The channel through which an answer may have been sent.
  enum Step {
    NEW,
    REPLY,
    PUSH
  }

  /// An event that this node owns.
  ///
  /// @param step step found in Redis
  /// @param takenOver whether another owner had it before
  /// @param memoryOnly whether only this node knows the event
  record OwnedEvent(LineEvent event, Step step, boolean takenOver, boolean memoryOnly) {}

  /// @param owner id of this process
  /// @param lease how long the owner keeps an event without renewing it
  Inbox(RedisClient redis, String owner, Duration lease, LineMeters meters) {
    this.redis = redis;
    this.meters = meters;
    this.accept = new AcceptEventScript(redis, owner, lease, MARK_LIFE);
    this.claim = new ClaimEventsScript(redis, owner, lease);
    this.mark = new MarkEventScript(redis, owner, lease, LATER_DELAY);
    this.idsInMemory = new RecentIds();
  }

  /// Whether the last events were kept in memory, because Redis was away or did not answer, and it
  /// has not answered since.
  boolean degraded() {
    return degraded;
  }

  /// Stores events and returns the new ones, within a second. Fails with ServiceUnavailable when
  /// there are too many for this node's memory; LINE then redelivers the webhook.
  Future<List<OwnedEvent>> accept(List<LineEvent> events) {
    if (!redis.connected(LineKeys.INBOX)) {
      return acceptInMemory(events, false);
    }
    return storeInRedis(events)
        .timeout(ACCEPT_TIMEOUT_MS, TimeUnit.MILLISECONDS)
        .map(news -> owned(events, news))
        .recover(
            failure -> {
              LOG.debug("The inbox in Redis does not answer; events={}", events.size(), failure);
              return acceptInMemory(events, true);
            });
  }

  /// Stores events in Redis and returns the new ones. Fails when it is unknown whether Redis has
  /// stored them.
  Future<List<OwnedEvent>> store(List<LineEvent> events) {
    return storeInRedis(events).map(news -> owned(events, news));
  }

  private Future<List<Boolean>> storeInRedis(List<LineEvent> events) {
    return Future.all(events.stream().map(event -> accept.run(event.id(), event.encode())).toList())
        .map(all -> all.list());
  }

  private List<OwnedEvent> owned(List<LineEvent> events, List<Boolean> news) {
    degraded = false;
    List<OwnedEvent> owned = new ArrayList<>();
    for (int i = 0; i < events.size(); i++) {
      LineEvent event = events.get(i);
      if (news.get(i) && isNew(event)) {
        owned.add(keep(new OwnedEvent(event, Step.NEW, false, false)));
      } else {
        meters.duplicates().increment();
      }
    }
    meters.accepted().increment(owned.size());
    return owned;
  }

  /// Progress of an event, as `mark_event.lua` takes it.
  enum Progress {
    KEEP,
    REPLY,
    PUSH,
    LATER,
    DONE
  }

  /// Records the progress of an event. Blocks. False when this node no longer owns the event or
  /// Redis does not answer: nothing may be sent then, and another node will take the event over.
  boolean mark(OwnedEvent owned, Progress progress) {
    if (progress == Progress.DONE || progress == Progress.LATER) {
      release(owned);
    }
    if (owned.memoryOnly()) {
      return true;
    }
    for (int i = 0; i < TRIES; i++) {
      try {
        return mark.run(owned.event().id(), progress.name().toLowerCase(Locale.ROOT))
            .await(CALL_TIMEOUT_MS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException | ServiceUnavailable e) {
        LOG.debug("The inbox in Redis does not answer; eventId={}", owned.event().id(), e);
      }
    }
    return false;
  }

  /// Stops renewing the event's lease, so that another node takes it over.
  void release(OwnedEvent owned) {
    boolean _ = inFlight.remove(owned.event().id(), owned);
  }

  /// Renews the leases of all events in flight, and settles those in Redis that this node took into
  /// its memory while Redis did not answer.
  void renew() {
    for (String id : unsettled.keySet()) {
      var _ = mark.run(id, "done").onSuccess(isDone -> settled(id, isDone));
    }
    for (OwnedEvent owned : inFlight.values()) {
      if (!owned.memoryOnly()) {
        var _ = mark.run(owned.event().id(), "keep");
      }
    }
  }

  private void settled(String id, boolean isDone) {
    var _ = unsettled.compute(id, (_, n) -> n == null || isDone || n == TRIES ? null : n + 1);
  }

  Future<List<OwnedEvent>> claim() {
    return claim
        .run(MAX_CLAIMED)
        .onSuccess(_ -> degraded = false)
        .map(all -> all.stream().flatMap(this::decode).toList());
  }

  int size() {
    return inFlight.size();
  }

  private Stream<OwnedEvent> decode(ClaimEventsScript.Claimed claimed) {
    try {
      LineEvent event = LineEvent.decode(claimed.payload());
      if (!isNew(event)) {
        return Stream.empty();
      }
      Step step = Step.valueOf(claimed.step().toUpperCase(Locale.ROOT));
      meters.rerun().increment();
      return Stream.of(keep(new OwnedEvent(event, step, true, false)));
    } catch (RuntimeException e) {
      // A newer version wrote it. A node of that version will take it over.
      LOG.warn("Could not decode an event of the inbox", e);
      return Stream.empty();
    }
  }

  private OwnedEvent keep(OwnedEvent owned) {
    inFlight.put(owned.event().id(), owned);
    return owned;
  }

  /// @param maybeStored whether Redis may have stored them as well
  private Future<List<OwnedEvent>> acceptInMemory(List<LineEvent> events, boolean maybeStored) {
    degraded = true;
    if (Math.max(inFlight.size(), unsettled.size()) + events.size() > MAX_MEMORY_ONLY) {
      return Future.failedFuture(
          new ServiceUnavailable("Too many events while Redis does not answer", RETRY_AFTER));
    }
    List<OwnedEvent> owned = new ArrayList<>();
    if (maybeStored) {
      events.forEach(event -> unsettled.put(event.id(), 0));
    }
    synchronized (idsInMemory) {
      for (LineEvent event : events) {
        if (idsInMemory.put(event.id(), true) == null && !inFlight.containsKey(event.id())) {
          owned.add(keep(new OwnedEvent(event, Step.NEW, false, true)));
          meters.alone().increment();
        } else {
          meters.duplicates().increment();
        }
      }
    }
    return Future.succeededFuture(owned);
  }

  /// An event that was accepted in memory is new to Redis only; it is marked as done there.
  private boolean isNew(LineEvent event) {
    synchronized (idsInMemory) {
      if (!idsInMemory.containsKey(event.id())) {
        return true;
      }
    }
    var _ = mark.run(event.id(), "done");
    return false;
  }

  /// The ids of the latest events; the oldest are evicted.
  private static final class RecentIds extends LinkedHashMap<String, Boolean> {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
      return size() > MAX_MEMORY_ONLY;
    }
  }

  /// Client of `mark_event.lua`: records the progress of events. Concurrent calls share a script
  /// run.
  static final class MarkEventScript {
    private static final LuaScript SCRIPT = LuaScript.load(MarkEventScript.class, "mark_event.lua");
    private static final int MAX_ITEMS = 128;

    private final ScriptBatcher batcher;
    private final ScriptBatcher.Shared shared;

    MarkEventScript(RedisClient redis, String owner, Duration lease, Duration later) {
      this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_ITEMS);
      this.shared =
          new ScriptBatcher.Shared(
              "line",
              List.of(LineKeys.INBOX, LineKeys.PENDING),
              List.of(owner, Long.toString(lease.toMillis()), Long.toString(later.toMillis())));
    }

    /// Records the progress; false when the owner has lost the event.
    Future<Boolean> run(String id, String progress) {
      return batcher
          .call(shared, new ScriptBatcher.Item(List.of(), List.of(id, progress)))
          .map("OK"::equals);
    }
  }

  /// Client of `accept_event.lua`: stores events in the inbox, each id once. Concurrent calls share
  /// a script run.
  static final class AcceptEventScript {
    private static final LuaScript SCRIPT =
        LuaScript.load(AcceptEventScript.class, "accept_event.lua");
    private static final int MAX_ITEMS = 64;

    private final ScriptBatcher batcher;
    private final ScriptBatcher.Shared shared;

    AcceptEventScript(RedisClient redis, String owner, Duration lease, Duration mark) {
      this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_ITEMS);
      this.shared =
          new ScriptBatcher.Shared(
              "line",
              List.of(LineKeys.INBOX, LineKeys.PENDING),
              List.of(owner, Long.toString(lease.toMillis()), Long.toString(mark.toSeconds())));
    }

    /// Stores an event; true when its id is new.
    Future<Boolean> run(String id, String payload) {
      return batcher
          .call(shared, new ScriptBatcher.Item(List.of(LineKeys.event(id)), List.of(id, payload)))
          .map("ACCEPTED"::equals);
    }
  }

  /// Client of `claim_events.lua`: takes over events with an expired lease.
  static final class ClaimEventsScript {
    private static final LuaScript SCRIPT =
        LuaScript.load(ClaimEventsScript.class, "claim_events.lua");

    private final RedisClient redis;
    private final String owner;
    private final String lease;

    ClaimEventsScript(RedisClient redis, String owner, Duration lease) {
      this.redis = redis;
      this.owner = owner;
      this.lease = Long.toString(lease.toMillis());
    }

    record Claimed(String step, int tries, String payload) {}

    /// @param max events to take over
    Future<List<Claimed>> run(int max) {
      return redis
          .run(
              SCRIPT,
              List.of(LineKeys.INBOX, LineKeys.PENDING),
              List.of(owner, lease, Integer.toString(max)))
          .map(
              reply -> {
                List<Claimed> all = new ArrayList<>();
                for (int i = 0; i + 2 < reply.size(); i += 3) {
                  all.add(
                      new Claimed(
                          reply.textAt(i),
                          Integer.parseInt(reply.textAt(i + 1)),
                          reply.textAt(i + 2)));
                }
                return all;
              });
    }
  }
}
