package fairgate.link.click;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import fairgate.kernel.ClientAddress;
import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Pending clicks in memory: counts by link and hour, and distinct visitors. Adding does no I/O,
/// and waits only for the moment in which the writer takes the pending clicks.
///
/// A crash loses the pending clicks: those of the last interval, of a write in progress, and of an
/// outage of the database. Clicks beyond the memory limits are dropped and counted.
public final class Clicks {
  private static final int MAX_CODES = 200_000;
  private static final int MAX_VISITORS = 262_144;
  private static final int RECENT_VISITORS = 65_536;
  private static final long HOUR_MS = 3_600_000;

  private final Object lock = new Object();

  @GuardedBy("lock")
  private List<ClickCounter> clicked = new ArrayList<>();

  @GuardedBy("lock")
  private Set<Visitor> visitors = new HashSet<>();

  /// The lock of the counts of past hours and of returned ones.
  private final Object pastLock = new Object();

  @GuardedBy("pastLock")
  private Map<LinkHour, ClickCounts> past = new HashMap<>();

  @GuardedBy("pastLock")
  private Set<Visitor> returnedVisitors = new HashSet<>();

  /// Recently added visitors by hash: most clicks of a rush are repeats, and one lookup here
  /// replaces five. Threads may overwrite each other's; a visitor is then added twice, which
  /// changes nothing.
  private volatile long[] recentVisitors = new long[RECENT_VISITORS];

  private final Counter people;
  private final Counter bots;
  private final Counter lost;
  private final Counter droppedVisitors;

  record LinkHour(String code, long hour) {}

  /// A visitor in clear text; never leaves memory.
  record Visitor(String code, long hour, ClientAddress address, String agent) {}

  static final class ClickCounts {
    private long people;
    private long bots;

    long people() {
      return people;
    }

    long bots() {
      return bots;
    }

    long all() {
      return people + bots;
    }

    void add(long morePeople, long moreBots) {
      people += morePeople;
      bots += moreBots;
    }
  }

  /// The clicks that the writer takes.
  record ClickBatch(Map<LinkHour, ClickCounts> countsByHour, Set<Visitor> visitors) {}

  /// Counts the clicks of one link in the current hour. It is stored with the cached link, because
  /// a lookup among ten thousand links in demand would cost more than the click. A link may have
  /// several counters; the writer adds them up.
  public static final class ClickCounter {
    private final String code;

    /// The hash of the code, precomputed for the visitor's hash.
    private final long hash;

    @GuardedBy("this")
    private long people;

    @GuardedBy("this")
    private long bots;

    @GuardedBy("this")
    private long hour;

    /// The hash of the latest visitor.
    @GuardedBy("this")
    private long last;

    /// Whether it is in `clicked`.
    @GuardedBy("this")
    private boolean listed;

    private ClickCounter(String code) {
      this.code = code;
      this.hash = (long) code.hashCode() << 32;
    }

    @GuardedBy("this")
    private boolean isEmpty() {
      return people == 0 && bots == 0;
    }
  }

  public Clicks(Metrics metrics) {
    people = counter(metrics, "person");
    bots = counter(metrics, "bot");
    lost =
        metrics.counter(
            "fairgate.link.clicks.lost",
            "Clicks that may be missing: too many were pending, or a write was interrupted");
    droppedVisitors =
        metrics.counter("fairgate.link.visitors.lost", "Clicks whose visitor was not counted");
  }

  private static Counter counter(Metrics metrics, String who) {
    return metrics.counter("fairgate.link.clicks", "Clicks of links", "who", who);
  }

  /// A new counter of the link's clicks.
  public ClickCounter newCounter(String code) {
    return new ClickCounter(code);
  }

  /// Counts a click.
  ///
  /// @param agent the browser's `User-Agent`
  public void add(
      ClickCounter counter, ClientAddress address, String agent, boolean bot, long nowMs) {
    long hour = nowMs - nowMs % HOUR_MS;
    synchronized (counter) {
      if (counter.hour != hour) {
        startHour(counter, hour);
      }
      if (!counter.listed && !list(counter)) {
        lost.increment();
        return;
      }
      if (bot) {
        counter.bots++;
      } else {
        counter.people++;
        visit(counter, address, agent);
      }
    }
  }

  /// Moves the counts of a past hour to `past`.
  @GuardedBy("counter")
  private void startHour(ClickCounter counter, long hour) {
    if (!counter.isEmpty()) {
      synchronized (pastLock) {
        addPast(new LinkHour(counter.code, counter.hour), counter.people, counter.bots);
      }
      count(counter);
      counter.people = 0;
      counter.bots = 0;
    }
    counter.hour = hour;
  }

  @GuardedBy("counter")
  private boolean list(ClickCounter counter) {
    synchronized (lock) {
      counter.listed = clicked.size() < MAX_CODES && clicked.add(counter);
    }
    return counter.listed;
  }

  @GuardedBy("counter")
  private void visit(ClickCounter counter, ClientAddress address, String agent) {
    long visitorHash =
        ((counter.hash ^ agent.hashCode()) * 0x9E3779B97F4A7C15L
                ^ address.hashCode() * 0xC2B2AE3D27D4EB4FL
                ^ counter.hour)
            | 1;
    if (counter.last == visitorHash) {
      return;
    }
    counter.last = visitorHash;
    long[] known = recentVisitors;
    int at = (int) (visitorHash >>> 40) & (RECENT_VISITORS - 1);
    if (known[at] == visitorHash) {
      return;
    }
    synchronized (lock) {
      if (visitors.size() < MAX_VISITORS) {
        visitors.add(new Visitor(counter.code, counter.hour, address, agent));
        known[at] = visitorHash;
        return;
      }
    }
    droppedVisitors.increment();
  }

  ClickBatch take() {
    List<ClickCounter> counters;
    Set<Visitor> seen;
    synchronized (lock) {
      counters = clicked;
      clicked = new ArrayList<>();
      seen = visitors;
      visitors = new HashSet<>();
      if (!seen.isEmpty()) {
        recentVisitors = new long[RECENT_VISITORS];
      }
    }
    Map<LinkHour, ClickCounts> countsByHour;
    synchronized (pastLock) {
      countsByHour = past;
      past = new HashMap<>();
      seen.addAll(returnedVisitors);
      returnedVisitors = new HashSet<>();
    }
    for (ClickCounter counter : counters) {
      synchronized (counter) {
        counter.listed = false;
        counter.last = 0;
        if (!counter.isEmpty()) {
          countsByHour
              .computeIfAbsent(new LinkHour(counter.code, counter.hour), _ -> new ClickCounts())
              .add(counter.people, counter.bots);
          count(counter);
        }
        counter.people = 0;
        counter.bots = 0;
      }
    }
    return new ClickBatch(countsByHour, seen);
  }

  /// Updates the metrics once for many clicks: a rush has a hundred thousand clicks a second.
  @GuardedBy("counter")
  private void count(ClickCounter counter) {
    people.increment((double) counter.people);
    bots.increment((double) counter.bots);
  }

  /// Counts clicks whose write had an unknown outcome.
  void lose(ClickBatch batch) {
    batch.countsByHour().values().forEach(counts -> lost.increment((double) counts.all()));
  }

  /// Returns clicks that were not written, as far as there is room.
  void giveBack(ClickBatch batch) {
    synchronized (pastLock) {
      batch
          .countsByHour()
          .forEach((linkHour, counts) -> addPast(linkHour, counts.people(), counts.bots()));
      for (Visitor visitor : batch.visitors()) {
        if (returnedVisitors.size() < MAX_VISITORS) {
          returnedVisitors.add(visitor);
        } else {
          droppedVisitors.increment();
        }
      }
    }
  }

  @GuardedBy("pastLock")
  private void addPast(LinkHour linkHour, long morePeople, long moreBots) {
    if (past.size() < MAX_CODES || past.containsKey(linkHour)) {
      past.computeIfAbsent(linkHour, _ -> new ClickCounts()).add(morePeople, moreBots);
    } else {
      lost.increment((double) (morePeople + moreBots));
    }
  }
}
