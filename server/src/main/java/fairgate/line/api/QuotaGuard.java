package fairgate.line.api;

import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import java.time.Clock;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Counts the month's pushes of all nodes, says so at four fifths of the limit, and refuses those
/// beyond it, so that what is left to LINE's own refusal is nothing. Replies are free and not
/// counted. It counts what LINE took, so several nodes at once may pass the limit by a few.
public final class QuotaGuard {
  private static final Logger LOG = LoggerFactory.getLogger(QuotaGuard.class);

  /// LINE's months begin in Japan.
  private static final ZoneOffset ZONE = ZoneOffset.ofHours(9);

  private static final String LIFE_S = Long.toString(TimeUnit.DAYS.toSeconds(40));
  private static final long PATIENCE_MS = 500;

  private final RedisClient redis;
  private final Clock clock;
  private final long limit;
  private final AtomicLong used = new AtomicLong();
  private final AtomicReference<String> warned = new AtomicReference<>("");
  private final AtomicReference<String> full = new AtomicReference<>("");

  /// @param limit pushes a month; 0 = none
  public QuotaGuard(RedisClient redis, Clock clock, long limit, Metrics metrics) {
    this.redis = redis;
    this.clock = clock;
    this.limit = limit;
    metrics.gauge("fairgate_line_pushes_month", "Pushes LINE took this month", used::get);
  }

  /// Whether a push may be tried. Blocks a little. Without Redis it may.
  public boolean allows() {
    String key = key();
    if (full.get().equals(key)) {
      return false;
    }
    if (limit == 0) {
      return true;
    }
    try {
      String count = redis.send("GET", key).await(PATIENCE_MS, TimeUnit.MILLISECONDS).text();
      long now = count.isEmpty() ? 0 : Long.parseLong(count);
      return now < limit;
    } catch (TimeoutException | RuntimeException e) {
      return true;
    }
  }

  /// LINE took a push.
  public void taken() {
    String key = key();
    var _ = redis.send("SET", key, "0", "EX", LIFE_S, "NX");
    var _ =
        redis
            .send("INCR", key)
            .onSuccess(
                reply -> {
                  used.set(reply.number());
                  boolean near = limit > 0 && reply.number() * 5 >= limit * 4;
                  if (near && !key.equals(warned.getAndSet(key))) {
                    LOG.warn("{} of {} LINE pushes of this month are used", reply.number(), limit);
                  }
                });
  }

  /// LINE says that the month's messages are used up: no push is tried until the next month.
  public void exhausted() {
    String key = key();
    if (!key.equals(full.getAndSet(key))) {
      LOG.warn("LINE takes no more pushes this month");
    }
  }

  private String key() {
    return "{line}:quota:" + YearMonth.from(clock.instant().atOffset(ZONE));
  }
}
