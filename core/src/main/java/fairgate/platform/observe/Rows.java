package fairgate.platform.observe;

import fairgate.kernel.ServiceUnavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.slf4j.Logger;

/// Makes the rows of a list and leaves out those that fail, so that one bad row does not take the
/// list down. A row that is left out is logged as an error, at most one a minute. Thread-safe.
public final class Rows {
  private static final long QUIET_NANOS = Duration.ofMinutes(1).toNanos();

  private final Logger log;
  private final String list;
  private final AtomicLong quietUntil = new AtomicLong(System.nanoTime());

  /// @param list as named in the log
  public Rows(Logger log, String list) {
    this.log = log;
    this.list = list;
  }

  /// The rows of the items, in their order. An outage still fails the list.
  ///
  /// @param name of an item, for the log
  public <T, R> List<R> of(Collection<T> items, Function<T, R> row, Function<T, ?> name) {
    List<R> rows = new ArrayList<>(items.size());
    for (T item : items) {
      try {
        rows.add(row.apply(item));
      } catch (ServiceUnavailable e) {
        throw e;
      } catch (RuntimeException e) {
        leftOut(name.apply(item), e);
      }
    }
    return rows;
  }

  private void leftOut(Object name, RuntimeException cause) {
    long now = System.nanoTime();
    long quiet = quietUntil.get();
    if (now - quiet >= 0 && quietUntil.compareAndSet(quiet, now + QUIET_NANOS)) {
      log.error("Left a row out of a list; list={} row={}", list, name, cause);
    }
  }
}
