package fairgate.sale;

import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.observe.Metrics;
import fairgate.platform.run.PeriodicJob;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/// The people and units of each sale that has work, as metrics. Every five seconds it takes them
/// from the comparisons with the ledger, or reads them from Redis if those are older.
///
/// Every node reports the same numbers, so a query takes the maximum over the nodes, not the sum.
/// While Redis is away there are no values.
final class SaleMeters implements AutoCloseable {
  /// The maximum number of sales with metrics, to bound the labels. The last ids are kept.
  static final int MAX_SALES = 50;

  static final Duration PAUSE = Duration.ofSeconds(5);

  private static final long PATIENCE_S = 2;

  private final Supplier<List<ProductId>> sales;
  private final Function<List<ProductId>, List<Future<LiveCounters>>> counters;
  private final MultiGauge open;
  private final MultiGauge people;
  private final MultiGauge units;
  private final PeriodicJob job = new PeriodicJob("sale-meters", PAUSE, this::sample);

  private volatile BiConsumer<ProductId, LiveCounters> listener = (_, _) -> {};

  private record Sample(ProductId sale, LiveCounters counters) {}

  /// @param sales the ids of the sales that have work
  SaleMeters(
      Supplier<List<ProductId>> sales,
      Function<List<ProductId>, List<Future<LiveCounters>>> counters,
      Metrics metrics) {
    this.sales = sales;
    this.counters = counters;
    this.open =
        MultiGauge.builder("fairgate_sale_open")
            .description("Whether a sale is open now")
            .register(metrics.registry());
    this.people =
        MultiGauge.builder("fairgate_sale_people")
            .description("People in a sale by state: waiting, active, ready")
            .register(metrics.registry());
    this.units =
        MultiGauge.builder("fairgate_sale_units")
            .description("Units of a sale by state: free, held, paid")
            .register(metrics.registry());
  }

  /// Sets the listener for the counters of each sale that was read. It is called on the thread of
  /// the readings, and must neither block nor throw.
  void onSample(BiConsumer<ProductId, LiveCounters> samples) {
    listener = samples;
  }

  /// Starts to read, at once and then periodically.
  void start() {
    job.withFirstPassAtOnce().start();
  }

  /// Reads all sales once; blocks.
  void sample() {
    List<Sample> samples;
    try {
      samples = read();
    } catch (RuntimeException e) {
      show(List.of());
      throw e;
    }
    show(samples);
    samples.forEach(sample -> listener.accept(sample.sale(), sample.counters()));
  }

  private List<Sample> read() {
    List<ProductId> ids =
        sales.get().stream().sorted(Comparator.reverseOrder()).limit(MAX_SALES).toList();
    List<Future<LiveCounters>> asked = counters.apply(ids);
    List<Sample> samples = new ArrayList<>(ids.size());
    for (int i = 0; i < ids.size(); i++) {
      LiveCounters found = await(asked.get(i));
      if (found.known()) {
        samples.add(new Sample(ids.get(i), found));
      }
    }
    return samples;
  }

  private static LiveCounters await(Future<LiveCounters> future) {
    try {
      return future.await(PATIENCE_S, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("redis is too slow", PAUSE);
    }
  }

  private void show(List<Sample> samples) {
    List<Row<?>> openRows = new ArrayList<>();
    List<Row<?>> peopleRows = new ArrayList<>();
    List<Row<?>> unitRows = new ArrayList<>();
    for (Sample sample : samples) {
      LiveCounters live = sample.counters();
      Tags sale = Tags.of("sale", sample.sale().value());
      openRows.add(Row.of(sale, live.state().equals("open") ? 1 : 0));
      peopleRows.add(row(sale, "waiting", live.waiting()));
      peopleRows.add(row(sale, "active", live.active()));
      peopleRows.add(row(sale, "ready", live.ready()));
      unitRows.add(row(sale, "free", live.free()));
      unitRows.add(row(sale, "held", live.held()));
      unitRows.add(row(sale, "paid", live.confirmed()));
    }
    open.register(openRows, true);
    people.register(peopleRows, true);
    units.register(unitRows, true);
  }

  private static Row<?> row(Tags sale, String state, long value) {
    return Row.of(sale.and("state", state), value);
  }

  @Override
  public void close() {
    job.close();
  }
}
