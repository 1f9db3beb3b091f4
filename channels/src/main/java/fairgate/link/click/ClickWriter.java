package fairgate.link.click;

import fairgate.kernel.Ids;
import fairgate.link.click.Clicks.Harvest;
import fairgate.link.click.Clicks.Place;
import fairgate.link.click.Clicks.Tally;
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

/// Writes clicks in batches, on a virtual thread: one transaction each interval. A batch that was
/// not written goes back and is written later; one whose outcome is unknown is not repeated, so
/// clicks may be missing but are never counted twice.
public final class ClickWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClickWriter.class);
  private static final int MAX_KNOWN_CODES = 200_000;
  private static final int CHUNK = 5_000;
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(3);
  private static final Comparator<Row> BY_PLACE =
      Comparator.comparing((Row row) -> row.place().code())
          .thenComparingLong(row -> row.place().hour());

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

  /// Stops, and writes what is left.
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
    Harvest harvest = clicks.take();
    // Of a click that falls between two harvests the first may have the count, the next who it was.
    if (harvest.tallies().isEmpty() && harvest.visitors().isEmpty()) {
      return;
    }
    AtomicBoolean sent = new AtomicBoolean();
    try {
      Map<Visit, Place> visits = visits(harvest.visitors());
      var _ =
          rows.tx(
              db -> {
                write(db, harvest, visits);
                sent.set(true);
                return true;
              });
      if (known.size() + visits.size() <= MAX_KNOWN_CODES) {
        known.addAll(visits.keySet());
      }
    } catch (RuntimeException e) {
      if (sent.get()) {
        clicks.lose(harvest);
      } else {
        clicks.giveBack(harvest);
      }
      throw e;
    }
  }

  private void write(Db db, Harvest harvest, Map<Visit, Place> visits) {
    Map<Place, Long> fresh = new HashMap<>();
    for (List<Visit> chunk : chunks(visits.keySet(), Comparator.comparing(Visit::code))) {
      for (Visit visit : PostgresClicks.seen(db, day, chunk)) {
        Place place = visits.get(visit);
        if (place != null) {
          fresh.merge(place, 1L, Long::sum);
        }
      }
    }
    Set<Place> places = new HashSet<>(harvest.tallies().keySet());
    places.addAll(fresh.keySet());
    List<Row> all = new ArrayList<>();
    for (Place place : places) {
      Tally tally = harvest.tallies().getOrDefault(place, new Tally());
      all.add(new Row(place, tally.people(), tally.bots(), fresh.getOrDefault(place, 0L)));
    }
    for (List<Row> chunk : chunks(all, BY_PLACE)) {
      PostgresClicks.add(db, chunk);
    }
  }

  /// Those not known yet, and where each is to be counted.
  private Map<Visit, Place> visits(Set<Visitor> visitors) {
    Map<Visit, Place> all = new HashMap<>();
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
        all.putIfAbsent(visit, new Place(visitor.code(), visitor.hour()));
      }
    }
    return all;
  }

  /// With the code in it, so that nobody is recognised from link to link; with the day's salt, so
  /// that nobody is from day to day.
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
