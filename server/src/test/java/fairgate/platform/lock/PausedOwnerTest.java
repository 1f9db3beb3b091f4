package fairgate.platform.lock;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import io.vertx.core.Promise;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// A whole process is stopped for longer than its lock lives, as a long garbage collection or a
/// moved virtual machine does, and goes on as if nothing had happened.
final class PausedOwnerTest {
  private static final Duration LIFE = Duration.ofMillis(300);
  private static final Duration LONG = Duration.ofSeconds(60);

  /// Takes the lock named, renews it until it is lost, and gives it back.
  static final class Owner {
    private Owner() {}

    /// Ends with `lost` on its output.
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
  void hurtsNoNewOwnerWhenItGoesOn() throws IOException, InterruptedException {
    String uri = TestEngines.shared().redisUri();
    String key = LockWorld.key();
    Process owner = start(uri, key);
    try (LockWorld other = new LockWorld(uri, LockWorld.config(LONG, LONG));
        BufferedReader out = new BufferedReader(owner.inputReader(StandardCharsets.UTF_8))) {
      assertThat(out.readLine()).isEqualTo("taken");
      // It outlives its life, because it is renewed.
      long first = System.nanoTime();
      LockWorld.await(() -> System.nanoTime() - first > 2 * LIFE.toNanos());
      assertThat(other.take(key, LONG)).isInstanceOf(LockOutcome.Busy.class);

      signal("STOP", owner.pid());
      other.ended(key);
      LockLease fresh = other.taken(key, LONG);
      signal("CONT", owner.pid());

      assertThat(out.readLine()).isEqualTo("lost");
      assertThat(owner.waitFor(10, TimeUnit.SECONDS)).isTrue();
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
