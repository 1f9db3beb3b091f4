package fairgate.link.click;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import fairgate.kernel.ClientAddress;
import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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
  private static final int LATELY = 32_768;
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
    /// The hour that `now` is about.
    @GuardedBy("this")
    private long hour;

    /// By code alone, for all but the first of an hour find theirs here.
    @GuardedBy("this")
    private Map<String, Tally> now = new HashMap<>();

    /// Of hours that are over, and what was given back.
    @GuardedBy("this")
    private Map<Place, Tally> before = new HashMap<>();

    @GuardedBy("this")
    private Set<Visitor> visitors = new HashSet<>();

    /// What was added to the visitors lately, each at a place of its own: most clicks of a rush
    /// come again, and this is one look instead of five.
    @GuardedBy("this")
    private long[] lately = {};

    @GuardedBy("this")
    int size() {
      return now.size() + before.size();
    }

    /// The tally of a link; null when there is no room for one more.
    @GuardedBy("this")
    @Nullable Tally tally(String code, long at) {
      if (at != hour) {
        close();
        hour = at;
      }
      Tally tally = now.get(code);
      if (tally == null && size() < MOST_CODES) {
        tally = new Tally();
        now.put(code, tally);
      }
      return tally;
    }

    /// Puts the tallies of the hour away under their hour.
    @GuardedBy("this")
    void close() {
      now.forEach(
          (code, tally) ->
              before.computeIfAbsent(new Place(code, hour), _ -> new Tally()).add(tally));
      now = new HashMap<>();
    }

    /// Whether there was room to remember the visitor, who may be known already.
    @GuardedBy("this")
    boolean visit(String code, ClientAddress address, String agent) {
      long print =
          ((long) code.hashCode() << 32 ^ agent.hashCode()) * 0x9E3779B97F4A7C15L
              ^ address.hashCode() * 0xC2B2AE3D27D4EB4FL
              ^ hour;
      if (lately.length == 0) {
        lately = new long[LATELY];
      }
      int slot = (int) (print >>> 40) & (LATELY - 1);
      if (lately[slot] == print) {
        return true;
      }
      if (visitors.size() >= MOST_VISITORS) {
        return false;
      }
      visitors.add(new Visitor(code, hour, address, agent));
      lately[slot] = print;
      return true;
    }
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
    synchronized (shard) {
      Tally tally = shard.tally(code, nowMs - nowMs % HOUR_MS);
      if (tally == null) {
        lost.increment();
        return;
      }
      if (bot) {
        tally.bots++;
      } else {
        tally.people++;
        if (!shard.visit(code, address, agent)) {
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
        shard.close();
        full = shard.before;
        seen = shard.visitors;
        shard.before = new HashMap<>();
        shard.visitors = new HashSet<>();
        Arrays.fill(shard.lately, 0);
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
                if (shard.size() < MOST_CODES * SHARDS || shard.before.containsKey(place)) {
                  shard.before.computeIfAbsent(place, _ -> new Tally()).add(tally);
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
