package fairgate.bench.soak;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/// The measured minutes: takes a sample every five seconds.
final class Course {
  private static final int LOOK_MS = 5_000;
  private static final int BAR = 24;

  private final Probe probe;
  private final Tally tally;
  private final Caller caller;
  private final int minutes;
  private final Map<Figure, Series> figures = new EnumMap<>(Figure.class);
  private final Map<Act, Series> p50 = new EnumMap<>(Act.class);
  private final Map<Act, Series> p99 = new EnumMap<>(Act.class);
  private final Map<Bad, BadCrowd.Fate> fates = new EnumMap<>(Bad.class);
  private double heap = Double.NaN;
  private final Series redis = new Series();

  Course(Probe probe, Tally tally, Caller caller, int minutes) {
    this.probe = probe;
    this.tally = tally;
    this.caller = caller;
    this.minutes = minutes;
  }

  void run() throws IOException, InterruptedException {
    long all = minutes * 60_000L;
    long begin = System.currentTimeMillis();
    int collectEach = minutes < 10 ? 3 : 4;
    var _ = tally.speeds();
    for (int look = 1; ; look++) {
      Soak.sleep(Math.max(1, begin + (long) look * LOOK_MS - System.currentTimeMillis()));
      long now = Math.min(all, System.currentTimeMillis() - begin);
      look((double) now / (double) all, look % collectEach == 0);
      bar(now, all);
      if (now >= all) {
        System.err.println();
        return;
      }
    }
  }

  private void look(double at, boolean collect) throws IOException, InterruptedException {
    tally
        .speeds()
        .forEach(
            (act, speed) -> {
              p50.computeIfAbsent(act, _ -> new Series()).add(at, speed.p50());
              p99.computeIfAbsent(act, _ -> new Series()).add(at, speed.p99());
            });
    Probe.Sight sight = probe.look();
    if (collect) {
      heap = probe.heap();
      add(Figure.HEAP, at, heap);
    }
    redis.add(at, (double) tally.granted(Act.VISIT), sight.redisMemory() * 1024 * 1024);
    add(Figure.RESIDENT, at, sight.rss());
    add(Figure.FILES, at, sight.files());
    add(Figure.THREADS, at, sight.threads());
    add(Figure.REDIS_CLIENTS, at, (double) sight.redisClients());
    add(Figure.POSTGRES, at, sight.postgresConnections());
  }

  private void add(Figure figure, double at, double value) {
    figures.computeIfAbsent(figure, _ -> new Series()).add(at, value);
  }

  private void bar(long now, long all) {
    int full = (int) (BAR * now / all);
    System.err.printf(
        Locale.ROOT,
        "\r[%s%s] %02d:%02d of %d:00  %,d answers, %,d refused, %d flying, heap %.0f MiB, wrong %s ",
        "#".repeat(full),
        ".".repeat(BAR - full),
        now / 60_000,
        now / 1000 % 60,
        minutes,
        tally.granted(),
        sum(tally.refused()),
        caller.flying(),
        heap,
        sum(tally.wrong()));
  }

  private static int sum(Map<String, Integer> counts) {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  /// All is over: how the bad ones fared.
  void ended(BadCrowd bad) {
    for (Bad kind : Bad.values()) {
      fates.put(kind, bad.fate(kind));
    }
  }

  /// Memory of Redis in bytes, by the number of joins.
  Series redis() {
    return redis;
  }

  Series figure(Figure figure) {
    return figures.getOrDefault(figure, new Series());
  }

  Map<Act, Series> p50() {
    return p50;
  }

  Map<Act, Series> p99() {
    return p99;
  }

  Map<Bad, BadCrowd.Fate> fates() {
    return fates;
  }
}
