package fairgate.app;

import com.sun.management.UnixOperatingSystemMXBean;
import fairgate.app.command.StartFailed;
import java.lang.management.ManagementFactory;

/// The limit of open files and connections of this process (`ulimit -n`). The engines of `up`
/// inherit it.
final class OpenFiles {
  /// Enough for the program's files, the connections to the engines, and a few hundred visitors.
  private static final long MIN = 1024;

  private OpenFiles() {}

  /// Throws when the limit is too low for a sale.
  static void check() {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      check(system.getMaxFileDescriptorCount());
    }
  }

  static void check(long allowed) {
    if (allowed >= 0 && allowed < MIN) {
      throw new StartFailed(
          "This process may have %d files and connections open, which is too few for a sale: run"
                  .formatted(allowed)
              + " `ulimit -n 65536` first, or set LimitNOFILE=65536 in the systemd unit (%d at"
                  .formatted(MIN)
              + " least).");
    }
  }
}
