package fairgate.operator.live;

import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.queue.QueueService;
import fairgate.sale.SaleFeature;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

/// The wiring of the live view and the reports.
public final class LiveFeature implements AutoCloseable {
  private final SaleHistory history;
  private final LiveFeed feed;
  private final PostgresSaleReports reports;

  private LiveFeature(Vertx vertx, PostgresDatabase database, SaleFeature sale) {
    this.history = new SaleHistory(new PostgresSaleMinutes(database));
    this.feed =
        new LiveFeed(
            vertx,
            history,
            new LiveFeed.Sources(
                sale.service()::live,
                question -> balanced(sale, question),
                new PostgresRefundCounts(database)));
    this.reports = new PostgresSaleReports(database);
  }

  /// Builds the parts and connects them to the queue and the sale; nothing runs before `start`.
  public static LiveFeature wire(
      Vertx vertx, PostgresDatabase database, QueueService queue, SaleFeature sale) {
    LiveFeature live = new LiveFeature(vertx, database, sale);
    sale.onSample(live.history::sample);
    sale.service().onRefusal(live.history::refused);
    queue.onRefusal(live.history::refused);
    queue.onFullNetwork(live.history::fullNetwork);
    return live;
  }

  /// Null while the ledger is unavailable.
  private static @Nullable Boolean balanced(SaleFeature sale, LiveFeed.Balance question) {
    try {
      return sale.sync().balanced(question.product(), question.counters());
    } catch (ServiceUnavailable _) {
      return null;
    }
  }

  public LiveFeed feed() {
    return feed;
  }

  /// The report of a sale, at any time in it or after it. Blocks.
  public SaleReport report(ProductId product) {
    return reports.of(product);
  }

  public void start() {
    history.start();
    feed.start();
  }

  @Override
  public void close() {
    feed.close();
    history.close();
  }
}
