package fairgate.link;

import fairgate.link.cache.LinkEntry;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.Batcher;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Reads links by their codes, many codes per statement. A client that tries many codes therefore
/// costs the database a few statements per round trip. Safe for use by any thread.
final class PostgresLinkReads {
  private static final String FIND =
      "SELECT " + PostgresLinks.FIELDS + " FROM short_links l WHERE l.code = ANY($1)";
  private static final int MAX_CONCURRENT_BATCHES = 2;
  private static final int MAX_BATCH_SIZE = 256;

  /// The time limit of one statement.
  private static final long READ_TIMEOUT_MS = 1_500;

  private final PostgresDatabase postgres;
  private final Batcher<String, Optional<LinkEntry>> batcher;

  PostgresLinkReads(PostgresDatabase postgres) {
    this.postgres = postgres;
    this.batcher =
        new Batcher<>("link-reads", MAX_BATCH_SIZE, MAX_CONCURRENT_BATCHES, this::findAll);
  }

  /// The link of a code. Fails when the database does not answer, or when too many reads wait.
  Future<Optional<LinkEntry>> find(String code) {
    return batcher.submit(code);
  }

  private Future<List<Optional<LinkEntry>>> findAll(List<String> codes) {
    return postgres
        .query(FIND, (Object) codes.stream().distinct().toArray(String[]::new))
        .timeout(READ_TIMEOUT_MS, TimeUnit.MILLISECONDS)
        .map(
            rows -> {
              Map<String, LinkEntry> found = new HashMap<>();
              rows.forEach(row -> found.put(row.getString(0), PostgresLinks.entry(row, 0)));
              return codes.stream().map(code -> Optional.ofNullable(found.get(code))).toList();
            });
  }
}
