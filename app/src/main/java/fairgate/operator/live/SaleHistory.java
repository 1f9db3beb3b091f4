package fairgate.operator.live;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.platform.run.PeriodicJob;
import fairgate.sale.LiveCounters;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// The course of the sales that have work: their counters of the last 15 minutes in memory, and one
/// row a minute in PostgreSQL for the report.
///
/// The counters are those that the metrics read every five seconds, so the history costs no call of
/// Redis. Refusals are counted where this node answers them.
public final class SaleHistory implements AutoCloseable {
  /// The age after which a counter is forgotten, ms.
  static final long MAX_AGE_MS = Duration.ofMinutes(15).toMillis();

  private static final long MINUTE_MS = Duration.ofMinutes(1).toMillis();
  private static final Duration FLUSH_EVERY = Duration.ofSeconds(10);
  private static final Duration LAST_FLUSH = Duration.ofSeconds(3);

  private final Map<ProductId, Course> courses = new ConcurrentHashMap<>();
  private final PostgresSaleMinutes store;
  private final PeriodicJob job =
      new PeriodicJob("sale-history", FLUSH_EVERY, this::flush).withFinalPass(LAST_FLUSH);

  SaleHistory(PostgresSaleMinutes store) {
    this.store = store;
  }

  /// The counters of one instant.
  ///
  /// @param at Redis time, ms
  /// @param refused joins and purchases that this node has refused since its start
  record Point(long at, LiveCounters counters, long refused) {
    /// The counters that a row of the history has.
    private List<Long> stored() {
      LiveCounters live = counters;
      return List.of(
          live.joined(),
          live.admitted(),
          live.missed(),
          live.waiting(),
          live.purchases(),
          live.free());
    }
  }

  /// The history of one sale. The points are guarded by the object's lock.
  private static final class Course {
    private final ArrayDeque<Point> points = new ArrayDeque<>();
    private final Map<ErrorCode, LongAdder> refusals = new ConcurrentHashMap<>();
    private final LongAdder refused = new LongAdder();
    private final LongAdder fullNetworks = new LongAdder();

    /// The last point that was written. Used by the job only.
    private @Nullable Point written;

    /// Whether the point has other counters than the last one that was written, or is the first one
    /// of its minute: minutes without a row count as not measured.
    private boolean isNews(Point point) {
      Point last = written;
      return last == null
          || point.at() / MINUTE_MS != last.at() / MINUTE_MS
          || !point.stored().equals(last.stored());
    }

    synchronized void add(Point point) {
      points.addLast(point);
      while (point.at() - points.getFirst().at() > MAX_AGE_MS) {
        points.removeFirst();
      }
    }

    synchronized List<Point> points() {
      return new ArrayList<>(points);
    }
  }

  void start() {
    job.start();
  }

  /// Takes in the counters of a sale. Does not block.
  public void sample(ProductId product, LiveCounters counters) {
    Course course = course(product);
    course.add(new Point(counters.now(), counters, course.refused.sum()));
  }

  /// Counts a refused join or purchase of a product of the catalog. Does not block.
  public void refused(ProductId product, ErrorCode reason) {
    Course course = course(product);
    course.refused.increment();
    course.refusals.computeIfAbsent(reason, _ -> new LongAdder()).increment();
  }

  /// The counters of the last 15 minutes, oldest first.
  List<Point> points(ProductId product) {
    Course course = courses.get(product);
    return course == null ? List.of() : course.points();
  }

  /// Joins and purchases of the sale that this node has refused since its start.
  long refusedSoFar(ProductId product) {
    Course course = courses.get(product);
    return course == null ? 0 : course.refused.sum();
  }

  /// Counts a join that was refused because its network is full, and that looks like one of a
  /// person. Does not block.
  public void fullNetwork(ProductId product) {
    course(product).fullNetworks.increment();
  }

  /// Such joins of the sale since the start of this node.
  long fullNetworksSoFar(ProductId product) {
    Course course = courses.get(product);
    return course == null ? 0 : course.fullNetworks.sum();
  }

  private Course course(ProductId product) {
    return courses.computeIfAbsent(product, _ -> new Course());
  }

  /// Writes the last minute of all sales that have news. Refusals that cannot be written are lost,
  /// because the outcome of a failed write is unknown and none may count twice.
  void flush() {
    Map<ProductId, Point> news = new HashMap<>();
    courses.forEach(
        (product, course) -> {
          List<Point> points = course.points();
          if (!points.isEmpty() && course.isNews(points.getLast())) {
            news.put(product, points.getLast());
          }
        });
    if (!news.isEmpty()) {
      store.write(news);
      news.forEach((product, point) -> course(product).written = point);
    }
    courses.forEach(this::flushRefusals);
    store.forgetOld();
  }

  private void flushRefusals(ProductId product, Course course) {
    List<Point> points = course.points();
    Map<ErrorCode, Long> refusals = new HashMap<>();
    course.refusals.forEach(
        (reason, count) -> {
          long n = count.sumThenReset();
          if (n > 0) {
            refusals.put(reason, n);
          }
        });
    if (!points.isEmpty() && !refusals.isEmpty()) {
      store.addRefusals(product, points.getLast(), refusals);
    }
  }

  @Override
  public void close() {
    job.close();
  }
}
