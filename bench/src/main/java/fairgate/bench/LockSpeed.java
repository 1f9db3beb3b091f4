package fairgate.bench;

import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.embedded.EmbeddedEngines;
import fairgate.platform.embedded.EngineOptions;
import fairgate.platform.lock.ProcessingLock;
import fairgate.platform.lock.ProcessingLock.LockOutcome;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/// The processing lock against Redisson's `RLock`, on one Redis over TCP, with 32 threads that wait
/// for each reply: acquiring and releasing a free lock, and failing to acquire a held one.
///
/// Usage: `LockSpeed FOLDER [ROUNDS] [SECONDS]`. Both take turns in every round; the first round is
/// a warm-up.
public final class LockSpeed {
  private static final int CALLERS = 32;
  private static final Duration LIFE = Duration.ofSeconds(5);

  private LockSpeed() {}

  /// Prints a line per round and the medians.
  public static void main(String[] args) throws IOException, InterruptedException {
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
    int seconds = args.length > 2 ? Integer.parseInt(args[2]) : 5;
    Vertx vertx = Vertx.vertx();
    try (EmbeddedEngines engines =
        EmbeddedEngines.start(Path.of(args[0]), EngineOptions.disposable())) {
      String uri = openPort(engines.redisUri());
      RedissonClient redisson = redisson(uri);
      try (RedisClient redis = RedisClient.connect(vertx, RedisSettings.of(uri)).await()) {
        ProcessingLock lock =
            new ProcessingLock(
                vertx,
                redis,
                new OwnerIds(),
                new Metrics(),
                new ProcessingLock.Config(true, LIFE, LIFE));
        compare(
            "taken and given back", rounds, seconds, i -> pair(lock, i), i -> pair(redisson, i));
        LockOutcome held = lock.tryAcquireLock("taken", Duration.ofHours(1)).await();
        RLock taken = redisson.getLock("taken by redisson");
        taken.lock(1, TimeUnit.HOURS);
        compare("refused", rounds, seconds, _ -> refused(lock), _ -> refused(redisson));
        System.out.println(held);
      } finally {
        redisson.shutdown();
      }
    } finally {
      vertx.close().await();
    }
  }

  private static void pair(ProcessingLock lock, int caller) {
    if (lock.tryAcquireLock("fair:" + caller).await() instanceof LockOutcome.Acquired(var lease)) {
      lock.releaseLock(lease).await();
    } else {
      throw new IllegalStateException("nobody else wanted it");
    }
  }

  private static void pair(RedissonClient redisson, int caller) {
    RLock lock = redisson.getLock("redisson:" + caller);
    if (!taken(lock)) {
      throw new IllegalStateException("nobody else wanted it");
    }
    lock.unlock();
  }

  private static void refused(ProcessingLock lock) {
    if (lock.tryAcquireLock("taken").await() instanceof LockOutcome.Acquired) {
      throw new IllegalStateException("it is taken");
    }
  }

  private static void refused(RedissonClient redisson) {
    if (taken(redisson.getLock("taken by redisson"))) {
      throw new IllegalStateException("it is taken");
    }
  }

  private static boolean taken(RLock lock) {
    try {
      return lock.tryLock(0, LIFE.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void compare(
      String what, int rounds, int seconds, IntConsumer ours, IntConsumer theirs)
      throws InterruptedException {
    double[] ratios = new double[rounds];
    for (int i = -1; i < rounds; i++) {
      double fair = perSecond(seconds, ours);
      double peer = perSecond(seconds, theirs);
      System.out.printf(
          Locale.ROOT,
          "%s, round %d: %,.0f/s against %,.0f/s of RLock: %.2f%n",
          what,
          i,
          fair,
          peer,
          fair / peer);
      if (i >= 0) {
        ratios[i] = fair / peer;
      }
    }
    Arrays.sort(ratios);
    System.out.printf(
        Locale.ROOT,
        "%s: %.2f times RLock (%.2f to %.2f)%n",
        what,
        Table.median(ratios),
        Table.min(ratios),
        Table.max(ratios));
  }

  private static double perSecond(int seconds, IntConsumer call) throws InterruptedException {
    LongAdder done = new LongAdder();
    CountDownLatch over = new CountDownLatch(CALLERS);
    long start = System.nanoTime();
    long end = start + TimeUnit.SECONDS.toNanos(seconds);
    for (int i = 0; i < CALLERS; i++) {
      int caller = i;
      Thread.ofPlatform()
          .start(
              () -> {
                while (System.nanoTime() < end) {
                  call.accept(caller);
                  done.increment();
                }
                over.countDown();
              });
    }
    over.await();
    return done.sum() / ((System.nanoTime() - start) / 1e9);
  }

  /// The embedded Redis has a socket in a folder only, which Redisson does not speak.
  private static String openPort(String socket) throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    try (RawRedis redis = new RawRedis(Path.of(socket.substring("unix://".length())))) {
      var _ = redis.call("CONFIG", "SET", "bind", "127.0.0.1");
      var _ = redis.call("CONFIG", "SET", "port", Integer.toString(port));
    }
    return "redis://127.0.0.1:" + port;
  }

  private static RedissonClient redisson(String uri) {
    Config config = new Config();
    config.useSingleServer().setAddress(uri);
    return Redisson.create(config);
  }

  /// Owner tokens as `app` makes them.
  private static final class OwnerIds implements Ids {
    private final SecureRandom random = new SecureRandom();

    @Override
    public SessionId session() {
      throw new UnsupportedOperationException();
    }

    @Override
    public OrderId order(ProductId product) {
      throw new UnsupportedOperationException();
    }

    @Override
    public DeviceId device() {
      throw new UnsupportedOperationException();
    }

    @Override
    public String nonce() {
      byte[] bytes = new byte[16];
      random.nextBytes(bytes);
      return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
  }
}
