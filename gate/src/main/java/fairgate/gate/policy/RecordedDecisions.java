package fairgate.gate.policy;

import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// The decision log, read page by page, newest first. Blocks.
public final class RecordedDecisions {
  private static final int PAGE = 1_000;

  private final PostgresRecordedDecisions store;

  public RecordedDecisions(PostgresDatabase database) {
    this.store = new PostgresRecordedDecisions(database);
  }

  /// Passes the decisions of a range on, page by page. The next page is read while one is consumed.
  ///
  /// @param withLabels whether to join the outcomes
  public void forEachPage(
      DecisionRange range, boolean withLabels, Consumer<List<RecordedDecision>> consumer) {
    long left = range.limit();
    // No id is less than the empty text, so the end of the range is exclusive.
    Future<List<RecordedDecision>> next = page(range, range.to(), "", left, withLabels);
    while (true) {
      List<RecordedDecision> page = next.await();
      if (page.isEmpty()) {
        return;
      }
      left -= page.size();
      RecordedDecision last = page.getLast();
      next = page(range, last.at(), last.id(), left, withLabels);
      consumer.accept(page);
    }
  }

  private Future<List<RecordedDecision>> page(
      DecisionRange range, Instant before, String beforeId, long left, boolean withLabels) {
    int size = (int) Math.min(PAGE, left);
    return size == 0
        ? Future.succeededFuture(List.of())
        : store.page(range.from(), before, beforeId, size, withLabels);
  }

  /// A decision with its label.
  public Optional<RecordedDecision> find(String id) {
    return store.find(id);
  }

  /// The documents of all bundles that have decided, by SHA-256.
  public Map<String, String> bundles() {
    return store.bundles();
  }
}
