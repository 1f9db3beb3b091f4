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

/// Clicks that are not written yet, added up where they happen: by link and by hour, and who they
/// were once each. Adding takes no I/O and waits for nobody but the writer's moment of emptying.
///
/// What is lost when the process dies is what was not written: the clicks of the last interval, of
/// a write under way, and of the time the database was away. Beyond the bounds on memory clicks are
/// dropped and counted.
public final class Clicks {
  private static final int MAX_CODES = 200_000;
  private static final int MAX_VISITORS = 262_144;
  private static final int LATELY = 65_536;
  private static final long HOUR_MS = 3_600_000;

  private final Object lock = new Object();

  /// Links with clicks.
  @GuardedBy("lock")
  private List<Spot> clicked = new ArrayList<>();

  @GuardedBy("lock")
  private Set<Visitor> visitors = new HashSet<>();

  /// Of hours that are over, and what was given back.
  private final Object keeping = new Object();

  @GuardedBy("keeping")
  private Map<Place, Tally> kept = new HashMap<>();

  @GuardedBy("keeping")
  private Set<Visitor> keptVisitors = new HashSet<>();

  /// Who was added to the visitors lately, each at a place of its own: most clicks of a rush come
  /// again, and this is one look instead of five. Threads may overwrite each other's; then somebody
  /// is added twice, which changes nothing.
  private volatile long[] lately = new long[LATELY];

  private final Counter people;
  private final Counter bots;
  private final Counter lost;
  private final Counter unseen;

  /// One link's clicks in one hour.
  record Place(String code, long hour) {}

  /// Who clicked, in the clear; never leaves memory.
  record Visitor(String code, long hour, ClientAddress address, String agent) {}

  /// Clicks of people and of bots.
  static final class Tally {
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

  /// What has gathered.
  record Harvest(Map<Place, Tally> tallies, Set<Visitor> visitors) {}

  /// Where one link's clicks are added up. Kept with the link, so that a click finds it without
  /// looking: with ten thousand links in demand the look would cost more than the click. A link may
  /// have several; they count together.
  public static final class Spot {
    private final String code;

    /// The code's hash: a click need not fetch the code.
    private final long hash;

    @GuardedBy("this")
    private long people;

    @GuardedBy("this")
    private long bots;

    @GuardedBy("this")
    private long hour;

    /// Who came last, by his print.
    @GuardedBy("this")
    private long last;

    /// Whether it is among the links with clicks.
    @GuardedBy("this")
    private boolean listed;

    private Spot(String code) {
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
            "Clicks that may be missing: too many waited, or a write was broken off");
    unseen =
        metrics.counter(
            "fairgate.link.visitors.lost",
            "Clicks counted without looking whether the visitor is new");
  }

  private static Counter counter(Metrics metrics, String who) {
    return metrics.counter("fairgate.link.clicks", "Clicks of links", "who", who);
  }

  /// Where the link's clicks are added up from now on.
  public Spot spot(String code) {
    return new Spot(code);
  }

  /// Counts a click.
  ///
  /// @param agent the browser's `User-Agent`
  public void add(Spot spot, ClientAddress address, String agent, boolean bot, long nowMs) {
    long hour = nowMs - nowMs % HOUR_MS;
    synchronized (spot) {
      if (spot.hour != hour) {
        turn(spot, hour);
      }
      if (!spot.listed && !list(spot)) {
        lost.increment();
        return;
      }
      if (bot) {
        spot.bots++;
      } else {
        spot.people++;
        visit(spot, address, agent);
      }
    }
  }

  /// Puts the clicks of an hour that is over away.
  @GuardedBy("spot")
  private void turn(Spot spot, long hour) {
    if (!spot.isEmpty()) {
      synchronized (keeping) {
        keep(new Place(spot.code, spot.hour), spot.people, spot.bots);
      }
      count(spot);
      spot.people = 0;
      spot.bots = 0;
    }
    spot.hour = hour;
  }

  @GuardedBy("spot")
  private boolean list(Spot spot) {
    synchronized (lock) {
      spot.listed = clicked.size() < MAX_CODES && clicked.add(spot);
    }
    return spot.listed;
  }

  @GuardedBy("spot")
  private void visit(Spot spot, ClientAddress address, String agent) {
    long print =
        ((spot.hash ^ agent.hashCode()) * 0x9E3779B97F4A7C15L
                ^ address.hashCode() * 0xC2B2AE3D27D4EB4FL
                ^ spot.hour)
            | 1;
    if (spot.last == print) {
      return;
    }
    spot.last = print;
    long[] known = lately;
    int at = (int) (print >>> 40) & (LATELY - 1);
    if (known[at] == print) {
      return;
    }
    synchronized (lock) {
      if (visitors.size() < MAX_VISITORS) {
        visitors.add(new Visitor(spot.code, spot.hour, address, agent));
        known[at] = print;
        return;
      }
    }
    unseen.increment();
  }

  /// Takes all there is.
  Harvest take() {
    List<Spot> spots;
    Set<Visitor> seen;
    synchronized (lock) {
      spots = clicked;
      clicked = new ArrayList<>();
      seen = visitors;
      visitors = new HashSet<>();
      if (!seen.isEmpty()) {
        lately = new long[LATELY];
      }
    }
    Map<Place, Tally> tallies;
    synchronized (keeping) {
      tallies = kept;
      kept = new HashMap<>();
      seen.addAll(keptVisitors);
      keptVisitors = new HashSet<>();
    }
    for (Spot spot : spots) {
      synchronized (spot) {
        spot.listed = false;
        spot.last = 0;
        if (!spot.isEmpty()) {
          tallies
              .computeIfAbsent(new Place(spot.code, spot.hour), _ -> new Tally())
              .add(spot.people, spot.bots);
          count(spot);
        }
        spot.people = 0;
        spot.bots = 0;
      }
    }
    return new Harvest(tallies, seen);
  }

  /// For all at once: there are a hundred thousand clicks a second in a rush.
  @GuardedBy("spot")
  private void count(Spot spot) {
    people.increment((double) spot.people);
    bots.increment((double) spot.bots);
  }

  /// Notes that nobody knows whether this was written.
  void lose(Harvest harvest) {
    harvest.tallies().values().forEach(tally -> lost.increment((double) tally.all()));
  }

  /// Puts back what could not be written, as far as there is room.
  void giveBack(Harvest harvest) {
    synchronized (keeping) {
      harvest.tallies().forEach((place, tally) -> keep(place, tally.people(), tally.bots()));
      for (Visitor visitor : harvest.visitors()) {
        if (keptVisitors.size() < MAX_VISITORS) {
          keptVisitors.add(visitor);
        } else {
          unseen.increment();
        }
      }
    }
  }

  @GuardedBy("keeping")
  private void keep(Place place, long morePeople, long moreBots) {
    if (kept.size() < MAX_CODES || kept.containsKey(place)) {
      kept.computeIfAbsent(place, _ -> new Tally()).add(morePeople, moreBots);
    } else {
      lost.increment((double) (morePeople + moreBots));
    }
  }
}
