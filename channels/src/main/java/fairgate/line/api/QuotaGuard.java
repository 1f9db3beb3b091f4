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

/// Counts the pushes of all nodes in this month, logs a warning at four fifths of the limit, and
/// refuses pushes beyond it. Replies are free and not counted. It counts pushes that LINE has
/// accepted, so concurrent nodes may exceed the limit by a few.
public final class QuotaGuard {
  private static final Logger LOG = LoggerFactory.getLogger(QuotaGuard.class);

  /// LINE counts months in Japan's time zone.
  private static final ZoneOffset ZONE = ZoneOffset.ofHours(9);

  private static final String LIFE_S = Long.toString(TimeUnit.DAYS.toSeconds(40));
  private static final long CALL_TIMEOUT_MS = 500;

  private final RedisClient redis;
  private final Clock clock;
  private final long limit;
  private final AtomicLong pushes = new AtomicLong();
  private final AtomicReference<String> warnedMonth = new AtomicReference<>("");
  private final AtomicReference<String> exhaustedMonth = new AtomicReference<>("");

  /// @param limit pushes per month; 0 means no limit
  public QuotaGuard(RedisClient redis, Clock clock, long limit, Metrics metrics) {
    this.redis = redis;
    this.clock = clock;
    this.limit = limit;
    metrics.gauge("fairgate_line_pushes_month", "Pushes LINE took this month", pushes::get);
  }

  /// Whether a push is allowed. Blocks for half a second at most. True while Redis is away.
  public boolean allows() {
    String key = key();
    if (exhaustedMonth.get().equals(key)) {
      return false;
    }
    if (limit == 0) {
      return true;
    }
    try {
      String count = redis.send("GET", key).await(CALL_TIMEOUT_MS, TimeUnit.MILLISECONDS).text();
      long now = count.isEmpty() ? 0 : Long.parseLong(count);
      return now < limit;
    } catch (TimeoutException | RuntimeException e) {
      return true;
    }
  }

  public void countPush() {
    String key = key();
    var _ = redis.send("SET", key, "0", "EX", LIFE_S, "NX");
    var _ =
        redis
            .send("INCR", key)
            .onSuccess(
                reply -> {
                  pushes.set(reply.number());
                  boolean near = limit > 0 && reply.number() * 5 >= limit * 4;
                  if (near && !key.equals(warnedMonth.getAndSet(key))) {
                    LOG.warn(
                        "LINE push quota is nearly used; pushes={}, limit={}",
                        reply.number(),
                        limit);
                  }
                });
  }

  /// Records LINE's reply that the monthly quota is exhausted. No push is tried until the next
  /// month.
  public void markExhausted() {
    String key = key();
    if (!key.equals(exhaustedMonth.getAndSet(key))) {
      LOG.warn("LINE refuses further pushes this month");
    }
  }

  private String key() {
    return "{line}:quota:" + YearMonth.from(clock.instant().atOffset(ZONE));
  }
}
