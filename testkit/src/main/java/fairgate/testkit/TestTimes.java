package fairgate.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/// What the tests of this Java process spend their time on. `testkit/times` adds up the files
/// `target/test-times/PID`, which are written when the process ends: kind, milliseconds, count.
public final class TestTimes {
  /// Wall time, except for HASHING, which is processor time of the password threads.
  public enum Kind {
    ENGINES,
    SERVERS,
    BROWSER,
    WAITING,
    HASHING
  }

  private record Sum(LongAdder nanos, LongAdder count) {}

  private static final Map<Kind, Sum> SUMS = new ConcurrentHashMap<>();

  static {
    watchPasswordThreads();
    Runtime.getRuntime().addShutdownHook(new Thread(TestTimes::write));
  }

  private TestTimes() {}

  /// Adds the time of the work to a kind.
  public static <T> T spent(Kind kind, Supplier<T> work) {
    long start = System.nanoTime();
    try {
      return work.get();
    } finally {
      add(kind, System.nanoTime() - start);
    }
  }

  public static void add(Kind kind, long nanos) {
    Sum sum = SUMS.computeIfAbsent(kind, _ -> new Sum(new LongAdder(), new LongAdder()));
    sum.nanos().add(nanos);
    sum.count().increment();
  }

  /// The threads end with their server, so that their time is read every half second.
  private static void watchPasswordThreads() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    Map<Long, Long> known = new HashMap<>();
    TimerTask task =
        new TimerTask() {
          @Override
          public void run() {
            for (ThreadInfo info : threads.getThreadInfo(threads.getAllThreadIds())) {
              if (info != null && info.getThreadName().startsWith("password-")) {
                long now = threads.getThreadCpuTime(info.getThreadId());
                Long before = known.put(info.getThreadId(), now);
                add(Kind.HASHING, now - (before == null ? 0 : before));
              }
            }
          }
        };
    new Timer("test-times", true).schedule(task, 500, 500);
  }

  private static void write() {
    StringBuilder lines = new StringBuilder();
    SUMS.forEach(
        (kind, sum) ->
            lines.append(
                "%s %d %d%n"
                    .formatted(
                        kind.name().toLowerCase(Locale.ROOT),
                        sum.nanos().sum() / 1_000_000,
                        sum.count().sum())));
    try {
      Path folder = Files.createDirectories(Path.of("target", "test-times"));
      Files.writeString(folder.resolve(Long.toString(ProcessHandle.current().pid())), lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
