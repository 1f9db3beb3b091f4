package fairgate.account;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Threads with low priority.
///
/// Java's thread priorities have no effect on Linux; there, `setpriority(2)` with process 0 sets
/// the niceness of the calling thread only. On other systems it would slow down the whole process,
/// so these are ordinary threads there.
final class LowPriority {
  private static final Logger LOG = LoggerFactory.getLogger(LowPriority.class);
  private static final int PRIO_PROCESS = 0;
  private static final int SELF = 0;

  /// About a tenth of the processor time of an ordinary thread. At 19, logins take ten seconds and
  /// time out when other programs keep all processors busy.
  private static final int NICENESS = 10;

  private LowPriority() {}

  /// Makes daemon threads of the operating system.
  static ThreadFactory threads(String name) {
    ThreadFactory plain = Thread.ofPlatform().daemon().name(name, 0).factory();
    return work ->
        plain.newThread(
            () -> {
              yieldToOthers();
              work.run();
            });
  }

  // Native access is given to the launcher and the jar.
  @SuppressWarnings({
    "restricted",
    "CatchingUnchecked"
  }) // Without it logins merely cost the others more.
  private static void yieldToOthers() {
    if (!System.getProperty("os.name", "").equals("Linux")) {
      return;
    }
    try {
      Linker linker = Linker.nativeLinker();
      MethodHandle setPriority =
          linker.downcallHandle(
              linker.defaultLookup().find("setpriority").orElseThrow(),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT));
      int result = (int) setPriority.invokeExact(PRIO_PROCESS, SELF, NICENESS);
      if (result != 0) {
        LOG.warn("Could not lower the priority of hashing threads; result={}", result);
      }
    } catch (Throwable t) {
      LOG.warn("Could not lower the priority of hashing threads", t);
    }
  }
}
