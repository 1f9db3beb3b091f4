package fairgate.queue;

import fairgate.kernel.ProductId;
import fairgate.platform.postgres.ChangePoll;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.BlockingWork;
import fairgate.platform.text.Language;
import io.vertx.core.Future;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What operators tell everybody who waits for a sale: at most one notice per sale, in up to three
/// languages. Reads come from memory, on any thread; other nodes have a change within half a
/// second. While PostgreSQL is away, the notices stay as they are.
public final class SaleNotices implements AutoCloseable {
  public static final int MAX_LENGTH = 300;

  private final PostgresNotices store;
  private final PostgresDatabase database;
  private volatile Map<ProductId, Map<Language, String>> notices = Map.of();
  private volatile Consumer<ProductId> listener = _ -> {};
  private ChangePoll.@Nullable Watch watch;
  private volatile String stamp = "";

  SaleNotices(PostgresDatabase database) {
    this.database = database;
    this.store = new PostgresNotices(database);
  }

  void start() {
    watch = database.changes().watch(PostgresNotices.STAMP, this::look);
  }

  void onChange(Consumer<ProductId> changed) {
    listener = changed;
  }

  /// The texts of a sale's notice; empty for none.
  public Map<Language, String> of(ProductId product) {
    return notices.getOrDefault(product, Map.of());
  }

  /// Replaces the notice of a sale; no texts remove it. Blocks. This node has it at once.
  public void put(ProductId product, Map<Language, String> texts) {
    store.put(product, texts);
    refresh();
  }

  private Future<Void> look(String now) {
    if (now.equals(stamp)) {
      return Future.succeededFuture();
    }
    return BlockingWork.call(
            "sale-notices",
            () -> {
              refresh();
              stamp = now;
              return now;
            })
        .mapEmpty();
  }

  private synchronized void refresh() {
    Map<ProductId, Map<Language, String>> before = notices;
    Map<ProductId, Map<Language, String>> found = store.all();
    notices = found;
    Set<ProductId> touched = new HashSet<>(before.keySet());
    touched.addAll(found.keySet());
    for (ProductId product : touched) {
      if (!of(product).equals(before.getOrDefault(product, Map.of()))) {
        listener.accept(product);
      }
    }
  }

  @Override
  public void close() {
    if (watch != null) {
      watch.close();
    }
  }
}
