package fairgate.line;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.redis.RedisClient;
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

/// Every event once, and none lost. An event is written into Redis before LINE is told that it has
/// arrived, with its owner's lease; what its owner does not finish, another takes over once the
/// lease has run out. Before an answer goes out the inbox is told by which way, so that whoever
/// takes over knows what may have been said already.
///
/// While Redis is away events are kept by this node alone: still each once, but a crash loses them.
final class Inbox {
  private static final Logger LOG = LoggerFactory.getLogger(Inbox.class);

  /// How long an event is known after it came.
  static final Duration MARK = Duration.ofDays(3);

  private static final Duration LATER = Duration.ofSeconds(2);
  private static final Duration SOON = Duration.ofSeconds(5);

  /// As many as find room in the queues: what Redis does not have must not be put off.
  private static final int MOST_ALONE = 10_000;

  private static final int MOST_CLAIMED = 250;
  private static final int TRIES = 3;
  private static final long PATIENCE_MS = 1_500;

  private final RedisClient redis;
  private final LineMeters meters;
  private final AcceptEventScript accept;
  private final ClaimEventsScript claim;
  private final MarkEventScript mark;
  private final Map<String, Taken> inHand = new ConcurrentHashMap<>();
  private final Map<String, Boolean> alone;

  /// By which way an answer may have gone out already.
  enum Step {
    NEW,
    REPLY,
    PUSH
  }

  /// An event in this node's hands.
  ///
  /// @param step as found when it was taken
  /// @param again whether somebody had it before
  /// @param alone whether only this node knows of it
  record Taken(LineEvent event, Step step, boolean again, boolean alone) {}

  /// @param owner names this process
  /// @param lease how long an event stays the owner's without a sign of life
  Inbox(RedisClient redis, String owner, Duration lease, LineMeters meters) {
    this.redis = redis;
    this.meters = meters;
    this.accept = new AcceptEventScript(redis, owner, lease, MARK);
    this.claim = new ClaimEventsScript(redis, owner, lease);
    this.mark = new MarkEventScript(redis, owner, lease, LATER);
    this.alone = new Recent();
  }

  /// Takes events in; gives those that are new. Fails with ServiceUnavailable when it is not known
  /// whether Redis has them: LINE has to send them again.
  Future<List<Taken>> accept(List<LineEvent> events) {
    if (!redis.connected(LineKeys.INBOX)) {
      return inHand.size() + events.size() > MOST_ALONE
          ? Future.failedFuture(new ServiceUnavailable("too many events without redis", SOON))
          : Future.succeededFuture(acceptAlone(events));
    }
    List<Future<Boolean>> news = new ArrayList<>(events.size());
    for (LineEvent event : events) {
      news.add(accept.run(event.id(), event.encode()));
    }
    return Future.all(news)
        .map(
            all -> {
              List<Taken> taken = new ArrayList<>();
              for (int i = 0; i < events.size(); i++) {
                LineEvent event = events.get(i);
                if (all.<Boolean>resultAt(i) && isNew(event)) {
                  taken.add(keep(new Taken(event, Step.NEW, false, false)));
                } else {
                  meters.duplicates().increment();
                }
              }
              meters.accepted().increment(taken.size());
              return taken;
            });
  }

  /// The words of `mark_event.lua`.
  enum Word {
    KEEP,
    REPLY,
    PUSH,
    LATER,
    DONE
  }

  /// Notes how far the work is; blocks. False when the event is not this node's any more, or when
  /// Redis cannot say: then nothing may be sent, and somebody will take the event over.
  boolean mark(Taken taken, Word word) {
    if (word == Word.DONE || word == Word.LATER) {
      letGo(taken);
    }
    if (taken.alone()) {
      return true;
    }
    for (int i = 0; i < TRIES; i++) {
      try {
        return mark.run(taken.event().id(), word.name().toLowerCase(Locale.ROOT))
            .await(PATIENCE_MS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException | ServiceUnavailable e) {
        LOG.debug("the inbox does not answer: {}", e.getMessage());
      }
    }
    return false;
  }

  /// Has the event run out of its lease, for somebody to take it over.
  void letGo(Taken taken) {
    boolean _ = inHand.remove(taken.event().id(), taken);
  }

  /// Renews the leases of all events in hand.
  void renew() {
    for (Taken taken : inHand.values()) {
      if (!taken.alone()) {
        var _ = mark.run(taken.event().id(), "keep");
      }
    }
  }

  /// Takes over events nobody works on any more.
  Future<List<Taken>> claim() {
    return claim.run(MOST_CLAIMED).map(all -> all.stream().flatMap(this::taken).toList());
  }

  /// How many events this node has in hand.
  int size() {
    return inHand.size();
  }

  private Stream<Taken> taken(ClaimEventsScript.Claimed claimed) {
    try {
      LineEvent event = LineEvent.decode(claimed.payload());
      Step step = Step.valueOf(claimed.step().toUpperCase(Locale.ROOT));
      meters.rerun().increment();
      return Stream.of(keep(new Taken(event, step, true, false)));
    } catch (RuntimeException e) {
      // Written by a version that is newer than this one, which will take it over.
      LOG.warn("an event in the inbox cannot be read: {}", e.toString());
      return Stream.empty();
    }
  }

  private Taken keep(Taken taken) {
    inHand.put(taken.event().id(), taken);
    return taken;
  }

  private List<Taken> acceptAlone(List<LineEvent> events) {
    List<Taken> taken = new ArrayList<>();
    synchronized (alone) {
      for (LineEvent event : events) {
        if (alone.put(event.id(), true) == null && !inHand.containsKey(event.id())) {
          taken.add(keep(new Taken(event, Step.NEW, false, true)));
          meters.alone().increment();
        } else {
          meters.duplicates().increment();
        }
      }
    }
    return taken;
  }

  /// What was taken in while Redis was away is news to Redis only.
  private boolean isNew(LineEvent event) {
    synchronized (alone) {
      if (!alone.containsKey(event.id())) {
        return true;
      }
    }
    var _ = mark.run(event.id(), "done");
    return false;
  }

  /// The ids of the last events; the oldest are forgotten.
  private static final class Recent extends LinkedHashMap<String, Boolean> {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
      return size() > MOST_ALONE;
    }
  }
}
