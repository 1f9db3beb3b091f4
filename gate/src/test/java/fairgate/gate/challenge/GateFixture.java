package fairgate.gate.challenge;

import fairgate.kernel.ChallengeResult;
import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Device;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Dependencies of a gate with a fixed clock and seeded ids.
public final class GateFixture implements AutoCloseable {
  public static final ProductId SEVEN = new ProductId("7");
  public static final Device DEVICE = device("AAAAAAAAAAAAAAAAAAAAAA", false);

  /// A browser that has no cookie yet.
  public static final Device FRESH = device("CCCCCCCCCCCCCCCCCCCCCC", true);

  /// Costs almost nothing, for tests that need many solutions.
  public static final AltchaConfig EASY =
      new AltchaConfig("SHA-256", 3, "00", Duration.ofMinutes(10));

  public final SteppedClock clock = new SteppedClock();
  public final Ids ids = new SeededIds();
  public final KeyRing keys = keys("k1", "k1");
  public final Vertx vertx = Vertx.vertx();

  /// A manual clock.
  public static final class SteppedClock extends Clock {
    private volatile Instant now = Instant.parse("2026-11-20T12:00:00Z");

    public void advance(Duration by) {
      now = now.plus(by);
    }

    @Override
    public Instant instant() {
      return now;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      throw new UnsupportedOperationException();
    }
  }

  private static final class SeededIds implements Ids {
    private final Random random = new Random(7);

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
      return new DeviceId(nonce());
    }

    @Override
    public synchronized String nonce() {
      byte[] bytes = new byte[16];
      random.nextBytes(bytes);
      return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
  }

  /// A key ring whose secrets derive from the ids.
  public static KeyRing keys(String current, String... all) {
    Map<String, byte[]> secrets = new HashMap<>();
    for (String id : all) {
      secrets.put(id, Arrays.copyOf(("secret of " + id).getBytes(StandardCharsets.UTF_8), 32));
    }
    return new KeyRing(current, secrets);
  }

  public static Device device(String id, boolean fresh) {
    return new Device(new DeviceId(id), fresh);
  }

  public static ChallengeProvider.Context join() {
    return ChallengeProvider.Context.join(SEVEN, "203.0.113.9", FRESH);
  }

  public ChallengeProvider.Dependencies seams() {
    return new ChallengeProvider.Dependencies(vertx, clock, ids, keys);
  }

  /// The same dependencies with other keys.
  ChallengeProvider.Dependencies seams(KeyRing others) {
    return new ChallengeProvider.Dependencies(vertx, clock, ids, others);
  }

  public Altcha altcha(AltchaConfig config) {
    return new Altcha(config, seams());
  }

  /// Waits for a verdict, at most ten seconds.
  public static ChallengeResult verdict(Future<ChallengeResult> future) {
    try {
      return future.await(60, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("no verdict", e);
    }
  }

  @Override
  public void close() {
    vertx.close().await();
  }
}
