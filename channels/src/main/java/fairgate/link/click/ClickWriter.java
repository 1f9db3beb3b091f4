package fairgate.link.click;

import fairgate.kernel.Ids;
import fairgate.link.click.Clicks.ClickBatch;
import fairgate.link.click.Clicks.ClickCounts;
import fairgate.link.click.Clicks.LinkHour;
import fairgate.link.click.Clicks.Visitor;
import fairgate.link.click.PostgresClicks.Row;
import fairgate.link.click.PostgresClicks.Visit;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.PeriodicJob;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes clicks in batches on a virtual thread, one transaction per interval. A batch that was not
/// written is retried later; one with an unknown outcome is not, so clicks may be missing but are
/// never counted twice.
public final class ClickWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClickWriter.class);
  private static final int MAX_KNOWN_CODES = 200_000;
  private static final int CHUNK = 5_000;
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(3);
  private static final Comparator<Row> BY_PLACE =
      Comparator.comparing((Row row) -> row.linkHour().code())
          .thenComparingLong(row -> row.linkHour().hour());

  private final Clicks clicks;
  private final PostgresClicks rows;
  private final Ids ids;

  private final Set<Visit> known = new HashSet<>();
  private LocalDate day = LocalDate.EPOCH;
  private String salt = "";
  private @Nullable PeriodicJob job;

  public ClickWriter(PostgresDatabase postgres, Ids ids, Clicks clicks) {
    this.clicks = clicks;
    this.rows = new PostgresClicks(postgres);
    this.ids = ids;
  }

  /// Writes at this interval from now on.
  public void start(Duration every) {
    job = new PeriodicJob("link-clicks", every, this::write).withStopTimeout(STOP_TIMEOUT);
    job.start();
  }

  /// Stops, and writes the pending clicks.
  @Override
  public void close() {
    if (job != null) {
      job.close();
    }
    try {
      write();
    } catch (RuntimeException e) {
      LOG.warn("Could not write the last clicks", e);
    }
  }

  private synchronized void write() {
    ClickBatch batch = clicks.take();
    // A click between two batches may have its count in the first and its visitor in the second.
    if (batch.countsByHour().isEmpty() && batch.visitors().isEmpty()) {
      return;
    }
    AtomicBoolean sent = new AtomicBoolean();
    try {
      Map<Visit, LinkHour> visits = visits(batch.visitors());
      var _ =
          rows.tx(
              db -> {
                write(db, batch, visits);
                sent.set(true);
                return true;
              });
      if (known.size() + visits.size() <= MAX_KNOWN_CODES) {
        known.addAll(visits.keySet());
      }
    } catch (RuntimeException e) {
      if (sent.get()) {
        clicks.lose(batch);
      } else {
        clicks.giveBack(batch);
      }
      throw e;
    }
  }

  private void write(Db db, ClickBatch batch, Map<Visit, LinkHour> visits) {
    Map<LinkHour, Long> fresh = new HashMap<>();
    for (List<Visit> chunk : chunks(visits.keySet(), Comparator.comparing(Visit::code))) {
      for (Visit visit : PostgresClicks.seen(db, day, chunk)) {
        LinkHour linkHour = visits.get(visit);
        if (linkHour != null) {
          fresh.merge(linkHour, 1L, Long::sum);
        }
      }
    }
    Set<LinkHour> linkHours = new HashSet<>(batch.countsByHour().keySet());
    linkHours.addAll(fresh.keySet());
    List<Row> all = new ArrayList<>();
    for (LinkHour linkHour : linkHours) {
      ClickCounts counts = batch.countsByHour().getOrDefault(linkHour, new ClickCounts());
      all.add(new Row(linkHour, counts.people(), counts.bots(), fresh.getOrDefault(linkHour, 0L)));
    }
    for (List<Row> chunk : chunks(all, BY_PLACE)) {
      PostgresClicks.add(db, chunk);
    }
  }

  /// Those not known yet, and where each is to be counted.
  private Map<Visit, LinkHour> visits(Set<Visitor> visitors) {
    Map<Visit, LinkHour> all = new HashMap<>();
    for (Visitor visitor : visitors) {
      LocalDate date = LocalDate.ofInstant(Instant.ofEpochMilli(visitor.hour()), ZoneOffset.UTC);
      if (date.isAfter(day)) {
        salt = rows.salt(date, ids.nonce());
        // Yesterday stays for nodes that have not begun today.
        rows.forget(date.minusDays(1));
        day = date;
        known.clear();
      }
      Visit visit = new Visit(visitor.code(), hash(visitor));
      if (!known.contains(visit)) {
        all.putIfAbsent(visit, new LinkHour(visitor.code(), visitor.hour()));
      }
    }
    return all;
  }

  /// The hash contains the code and the salt of the day, so that visitors cannot be recognized
  /// across links or days.
  private long hash(Visitor visitor) {
    String text =
        salt + '\n' + visitor.code() + '\n' + visitor.address().text() + '\n' + visitor.agent();
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return ByteBuffer.wrap(hash).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is missing from this Java", e);
    }
  }

  /// In order, so that two nodes lock the same rows in the same order.
  private static <T> List<List<T>> chunks(java.util.Collection<T> all, Comparator<T> order) {
    List<T> sorted = all.stream().sorted(order).toList();
    List<List<T>> chunks = new ArrayList<>();
    for (int i = 0; i < sorted.size(); i += CHUNK) {
      chunks.add(sorted.subList(i, Math.min(sorted.size(), i + CHUNK)));
    }
    return chunks;
  }
}
