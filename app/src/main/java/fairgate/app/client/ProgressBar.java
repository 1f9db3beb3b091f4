package fairgate.app.client;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;

/// A progress display: one redrawn line on a terminal, otherwise a line every ten per cent.
final class ProgressBar {
  private static final int WIDTH = 30;
  private static final Duration REDRAW = Duration.ofMillis(100);

  private final PrintWriter out;
  private final boolean terminal;
  private final LongSupplier nanos;
  private final String what;
  private final long begun;
  private long drawn;
  private long first = -1;
  private int tenths = -1;
  private int width;

  /// @param what label in front, such as `importing`
  /// @param terminal whether a line can be redrawn
  /// @param nanos clock, nanoseconds
  ProgressBar(PrintWriter out, boolean terminal, LongSupplier nanos, String what) {
    this.out = out;
    this.terminal = terminal;
    this.nanos = nanos;
    this.what = what;
    this.begun = nanos.getAsLong();
    this.drawn = begun - REDRAW.toNanos();
  }

  /// Draws the progress, at most ten times a second.
  ///
  /// @param unit unit of the numbers, such as `rows`
  void show(long done, long total, String unit) {
    if (first < 0) {
      first = done;
    }
    long now = nanos.getAsLong();
    if (terminal && (now - drawn >= REDRAW.toNanos() || done == total)) {
      drawn = now;
      draw(line(done, total, unit, now));
    } else if (!terminal && tenth(done, total) > tenths) {
      tenths = tenth(done, total);
      out.println(line(done, total, unit, now));
      out.flush();
    }
  }

  void end() {
    if (terminal && width > 0) {
      out.println();
      out.flush();
      width = 0;
    }
  }

  private void draw(String line) {
    out.print("\r" + line + " ".repeat(Math.max(0, width - line.length())));
    out.flush();
    width = line.length();
  }

  private String line(long done, long total, String unit, long now) {
    double share = total <= 0 ? 0 : Math.min(1, (double) done / total);
    int full = (int) Math.round(share * WIDTH);
    double seconds = Math.max(1e-3, (now - begun) / 1e9);
    double speed = (done - first) / seconds;
    String rest =
        done >= total ? clock(seconds) : speed <= 0 ? "" : "-" + clock((total - done) / speed);
    return String.format(
            Locale.ROOT,
            "%s%s %3d%%  %,d / %,d %s  %,.0f/s  %s",
            what,
            terminal ? " [" + "█".repeat(full) + "░".repeat(WIDTH - full) + "]" : "",
            (int) (share * 100),
            done,
            total,
            unit,
            speed,
            rest)
        .stripTrailing();
  }

  private static int tenth(long done, long total) {
    return total <= 0 ? 0 : (int) (done * 10 / total);
  }

  private static String clock(double seconds) {
    long whole = Math.round(seconds);
    return String.format(Locale.ROOT, "%d:%02d", whole / 60, whole % 60);
  }
}
