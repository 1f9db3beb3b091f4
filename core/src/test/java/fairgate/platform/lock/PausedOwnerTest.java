package fairgate.platform.lock;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.platform.lock.ProcessingLock.LockOutcome;
import fairgate.testkit.Eventually;
import io.vertx.core.Promise;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A process is suspended for longer than its lock lives, as by a long garbage collection or the
/// migration of a virtual machine, and then continues.
@Tag("slow")
final class PausedOwnerTest {
  private static final Duration LIFE = Duration.ofSeconds(10);
  private static final Duration LONG = Duration.ofSeconds(60);

  /// Takes the named lock, renews it until it is lost, and releases it.
  static final class Owner {
    private Owner() {}

    /// Prints `lost` at the end.
    ///
    /// @param args the URI of Redis, and the key
    public static void main(String[] args) {
      try (LockWorld world = LockWorld.inRealTime(args[0], LockWorld.config(LIFE, LONG))) {
        LockLease lease = world.taken(args[1], LIFE);
        Promise<String> work = Promise.promise();
        var done = world.lock().whileLocked(lease, work::future);
        System.out.println("taken");
        LockWorld.await(() -> !lease.isHeld());
        work.complete("lost");
        System.out.println(done.await());
        System.exit(0);
      }
    }
  }

  @Test
  void aResumedOwnerDoesNotAffectTheNewOne() throws IOException, InterruptedException {
    String uri = TestEngines.shared().redisUri();
    String key = LockWorld.key();
    Process owner = start(uri, key);
    try (LockWorld other = new LockWorld(uri, LockWorld.config(LONG, LONG));
        BufferedReader out = new BufferedReader(owner.inputReader(StandardCharsets.UTF_8))) {
      assertThat(out.readLine()).isEqualTo("taken");
      // It lives longer than its timeout, because it is renewed.
      AtomicLong rest = new AtomicLong(Long.MAX_VALUE);
      Eventually.await(
          "a renewal",
          () -> {
            long now = Long.parseLong(other.call("PTTL", key));
            return now > rest.getAndSet(now);
          });
      assertThat(other.take(key, LONG)).isInstanceOf(LockOutcome.Busy.class);

      signal("STOP", owner.pid());
      // Nobody renews it now. `ProcessingLockTest` waits for the real end of a lock.
      assertThat(other.call("PEXPIRE", key, "1")).isEqualTo("1");
      other.ended(key);
      LockLease fresh = other.taken(key, LONG);
      signal("CONT", owner.pid());

      assertThat(out.readLine()).isEqualTo("lost");
      assertThat(owner.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(other.call("GET", key)).isEqualTo(fresh.owner());
      assertThat(Long.parseLong(other.call("PTTL", key))).isGreaterThan(LIFE.toMillis());
      assertThat(other.lock().renewLock(fresh, LONG).await()).isTrue();
    } finally {
      owner.destroyForcibly();
    }
  }

  private static Process start(String uri, String key) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    return new ProcessBuilder(
            List.of(
                java,
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Owner.class.getName(),
                uri,
                key))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static void signal(String name, long pid) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("bash", "-c", "kill -s " + name + " " + pid).start();
    assertThat(kill.waitFor()).isZero();
  }
}
