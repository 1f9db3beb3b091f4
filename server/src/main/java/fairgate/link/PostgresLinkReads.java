package fairgate.link;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import fairgate.link.cache.LinkEntry;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/// Reads links by their codes, those asked for at the same time in one statement.
///
/// A code asked for while nothing is under way is read at once; what gathers meanwhile goes
/// together next. So somebody who tries codes in a rush costs the database some statements a round
/// trip, and not one a code. Safe for use by any thread.
final class PostgresLinkReads {
  private static final String FIND =
      "SELECT " + PostgresLinks.FIELDS + " FROM short_links l WHERE l.code = ANY($1)";
  private static final int IN_FLIGHT = 2;
  private static final int MOST = 256;

  /// A visitor waits for the database no longer than this once it was asked.
  private static final long READ_MS = 1_500;

  private final PostgresDatabase postgres;

  @GuardedBy("this")
  private final Queue<Read> waiting = new ArrayDeque<>();

  @GuardedBy("this")
  private int inFlight;

  private record Read(String code, Promise<Optional<LinkEntry>> found) {}

  PostgresLinkReads(PostgresDatabase postgres) {
    this.postgres = postgres;
  }

  /// The link of a code. Fails when the database does not answer.
  Future<Optional<LinkEntry>> find(String code) {
    Read read = new Read(code, Promise.promise());
    synchronized (this) {
      waiting.add(read);
    }
    next();
    return read.found().future();
  }

  /// Sends what waits, if anything and if it may.
  private void next() {
    List<Read> batch = new ArrayList<>();
    synchronized (this) {
      if (inFlight == IN_FLIGHT || waiting.isEmpty()) {
        return;
      }
      inFlight++;
      while (batch.size() < MOST && !waiting.isEmpty()) {
        batch.add(waiting.remove());
      }
    }
    postgres
        .query(FIND, (Object) batch.stream().map(Read::code).distinct().toArray(String[]::new))
        .timeout(READ_MS, TimeUnit.MILLISECONDS)
        .map(
            rows -> {
              Map<String, LinkEntry> found = new HashMap<>();
              rows.forEach(row -> found.put(row.getString(0), PostgresLinks.entry(row, 0)));
              return found;
            })
        .onComplete(
            result -> {
              synchronized (this) {
                inFlight--;
              }
              next();
              for (Read read : batch) {
                if (result.succeeded()) {
                  read.found().complete(Optional.ofNullable(result.result().get(read.code())));
                } else {
                  read.found().fail(result.cause());
                }
              }
            });
  }
}
