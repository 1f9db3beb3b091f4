package fairgate.link.click;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import fairgate.kernel.ClientAddress;
import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// Clicks that are not written yet, added up where they happen: by code and by hour, and who they
/// were once each. Adding takes no I/O and waits for nobody but the writer's moment of emptying.
///
/// What is lost when the process dies is what was not written: the clicks of the last interval, of
/// a write under way, and of the time the database was away. Beyond the bounds on memory clicks are
/// dropped and counted.
public final class Clicks {
  private static final int SHARDS = 16;
  private static final int MOST_CODES = 200_000 / SHARDS;
  private static final int MOST_VISITORS = 262_144 / SHARDS;
  private static final long HOUR_MS = 3_600_000;

  private final Shard[] shards = new Shard[SHARDS];
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

    void add(Tally other) {
      people += other.people;
      bots += other.bots;
    }
  }

  /// What has gathered.
  record Harvest(Map<Place, Tally> tallies, Set<Visitor> visitors) {}

  private static final class Shard {
    @GuardedBy("this")
    private Map<Place, Tally> tallies = new HashMap<>();

    @GuardedBy("this")
    private Set<Visitor> visitors = new HashSet<>();
  }

  public Clicks(Metrics metrics) {
    for (int i = 0; i < SHARDS; i++) {
      shards[i] = new Shard();
    }
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

  /// Counts a click.
  ///
  /// @param agent the browser's `User-Agent`
  public void add(String code, ClientAddress address, String agent, boolean bot, long nowMs) {
    Shard shard = shards[(int) Thread.currentThread().threadId() & (SHARDS - 1)];
    Place place = new Place(code, nowMs - nowMs % HOUR_MS);
    synchronized (shard) {
      Tally tally = shard.tallies.get(place);
      if (tally == null) {
        if (shard.tallies.size() >= MOST_CODES) {
          lost.increment();
          return;
        }
        tally = new Tally();
        shard.tallies.put(place, tally);
      }
      if (bot) {
        tally.bots++;
      } else {
        tally.people++;
        if (shard.visitors.size() < MOST_VISITORS) {
          shard.visitors.add(new Visitor(code, place.hour(), address, agent));
        } else {
          unseen.increment();
        }
      }
    }
    (bot ? bots : people).increment();
  }

  /// Takes all there is.
  Harvest take() {
    Map<Place, Tally> tallies = new HashMap<>();
    Set<Visitor> visitors = new HashSet<>();
    for (Shard shard : shards) {
      Map<Place, Tally> full;
      Set<Visitor> seen;
      synchronized (shard) {
        full = shard.tallies;
        seen = shard.visitors;
        shard.tallies = new HashMap<>();
        shard.visitors = new HashSet<>();
      }
      full.forEach((place, tally) -> tallies.computeIfAbsent(place, _ -> new Tally()).add(tally));
      visitors.addAll(seen);
    }
    return new Harvest(tallies, visitors);
  }

  /// Notes that nobody knows whether this was written.
  void lose(Harvest harvest) {
    harvest
        .tallies()
        .values()
        .forEach(tally -> lost.increment((double) (tally.people() + tally.bots())));
  }

  /// Puts back what could not be written, as far as there is room.
  void giveBack(Harvest harvest) {
    Shard shard = shards[0];
    synchronized (shard) {
      harvest
          .tallies()
          .forEach(
              (place, tally) -> {
                if (shard.tallies.size() < MOST_CODES * SHARDS
                    || shard.tallies.containsKey(place)) {
                  shard.tallies.computeIfAbsent(place, _ -> new Tally()).add(tally);
                } else {
                  lost.increment((double) (tally.people() + tally.bots()));
                }
              });
      for (Visitor visitor : harvest.visitors()) {
        if (shard.visitors.size() < MOST_VISITORS * SHARDS) {
          shard.visitors.add(visitor);
        } else {
          unseen.increment();
        }
      }
    }
  }
}
