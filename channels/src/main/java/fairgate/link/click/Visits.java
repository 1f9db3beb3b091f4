package fairgate.link.click;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.run.BlockingWork;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Enforces the visit limit of links, also during outages of Redis or nodes: the database counts a
/// visit before the redirect.
///
/// Visitors of one link who arrive during a count are counted together by the next one, so a link
/// has one small transaction at a time. While the database is unavailable, no visitor passes; if
/// its reply is lost, visits may be used up without a visitor, but the limit is never exceeded.
public final class Visits {
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);
  private static final int MAX_PENDING = 5_000;

  private final Counter counter;
  private final Map<String, List<Promise<Boolean>>> waiting = new ConcurrentHashMap<>();

  /// Links that were used up; a limit is never raised.
  private final Cache<String, Boolean> usedUp = Caffeine.newBuilder().maximumSize(100_000).build();

  /// Counts visits; blocks.
  @FunctionalInterface
  public interface Counter {
    /// Counts up to `requested` visits, and returns their number. -1 if the link may not be
    /// followed for another reason. Throws ServiceUnavailable.
    int take(String code, int requested);
  }

  public Visits(Counter counter) {
    this.counter = counter;
  }

  /// Whether all visits have been made, as far as this node knows; a look costs nothing.
  public boolean usedUp(String code) {
    return usedUp.getIfPresent(code) != null;
  }

  /// Whether one more visitor may pass; if so he is counted.
  public Future<Boolean> take(String code) {
    if (usedUp(code)) {
      return Future.succeededFuture(false);
    }
    Promise<Boolean> mine = Promise.promise();
    waiting.compute(
        code,
        (_, line) -> {
          if (line == null) {
            List<Promise<Boolean>> first = new ArrayList<>();
            first.add(mine);
            BlockingWork.start("link-visits", () -> serve(code));
            return first;
          }
          if (line.size() >= MAX_PENDING) {
            mine.fail(new ServiceUnavailable("too many wait for " + code, RETRY_AFTER));
          } else {
            line.add(mine);
          }
          return line;
        });
    return mine.future();
  }

  /// Counts until no visitor waits.
  private void serve(String code) {
    while (true) {
      List<Promise<Boolean>> batch = new ArrayList<>();
      waiting.computeIfPresent(
          code,
          (_, line) -> {
            if (line.isEmpty()) {
              return null;
            }
            batch.addAll(line);
            return new ArrayList<>();
          });
      if (batch.isEmpty()) {
        return;
      }
      count(code, batch);
    }
  }

  private void count(String code, List<Promise<Boolean>> batch) {
    int granted;
    try {
      granted = counter.take(code, batch.size());
    } catch (RuntimeException e) {
      batch.forEach(promise -> promise.fail(e));
      return;
    }
    if (granted >= 0 && granted < batch.size()) {
      usedUp.put(code, true);
    }
    for (int i = 0; i < batch.size(); i++) {
      batch.get(i).complete(i < granted);
    }
  }
}
