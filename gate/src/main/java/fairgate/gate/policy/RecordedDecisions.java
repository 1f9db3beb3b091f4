package fairgate.gate.policy;

import fairgate.gate.risk.Features;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
      Range range, boolean withLabels, Consumer<List<RecordedDecision>> consumer) {
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
      Range range, Instant before, String beforeId, long left, boolean withLabels) {
    int size = (int) Math.min(PAGE, left);
    return size == 0
        ? Future.succeededFuture(List.of())
        : store.page(range.from(), before, beforeId, size, withLabels);
  }

  public Optional<RecordedDecision> find(String id) {
    return store.find(id);
  }

  /// The documents of all bundles that have decided, by SHA-256.
  public Map<String, String> bundles() {
    return store.bundles();
  }

  /// Which recorded decisions to read: the newest ones within a time.
  ///
  /// @param from inclusive
  /// @param to exclusive
  /// @param limit maximum number of decisions
  public record Range(Instant from, Instant to, long limit) {
    /// The earliest time that PostgreSQL and Java count without loss.
    public static final Instant BEGINNING = Instant.parse("2000-01-01T00:00:00Z");

    public static final Instant END = Instant.parse("2200-01-01T00:00:00Z");

    public static Range all() {
      return new Range(BEGINNING, END, Long.MAX_VALUE);
    }
  }

  /// A decision as it was recorded.
  ///
  /// @param bundle SHA-256 of the bundle that decided
  /// @param features null when this server does not know their schema, or they are damaged
  /// @param reasons `code:points`, most points first
  /// @param shadow codes of the shadow rules that matched
  /// @param label by its outcomes; UNKNOWN when they were not read
  public record RecordedDecision(
      String id,
      Instant at,
      String route,
      String sale,
      String bundle,
      @Nullable Features features,
      int score,
      String band,
      String action,
      List<String> reasons,
      List<String> shadow,
      OutcomeLabel label) {
    public RecordedDecision {
      reasons = List.copyOf(reasons);
      shadow = List.copyOf(shadow);
    }
  }
}
