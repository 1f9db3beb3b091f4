package fairgate.platform.audit;

import fairgate.kernel.AuditEvent;
import fairgate.kernel.KeyRing;
import fairgate.platform.postgres.PostgresDatabase;
import java.time.Clock;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Verifies the chain from its first row to its last. Blocks; reads the whole log.
public final class AuditVerifier {
  private final PostgresAuditReads store;
  private final KeyRing keys;
  private final AuditChain chain;
  private final AuditLog.Config config;
  private final LocalDate today;

  /// Creates a verifier for one run.
  ///
  /// @param config the retention times
  public AuditVerifier(
      PostgresDatabase database, KeyRing keys, AuditLog.Config config, Clock clock) {
    this.store = new PostgresAuditReads(database);
    this.keys = keys;
    this.chain = new AuditChain(keys);
    this.config = config;
    this.today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
  }

  /// The result of a verification.
  ///
  /// @param erased the number of events with erased contents
  /// @param head the last hash of all, to compare with a copy kept elsewhere
  /// @param problems one sentence for each break of the chain; empty when intact
  public record Report(int days, long events, long erased, String head, List<String> problems) {
    public Report {
      problems = List.copyOf(problems);
    }

    public boolean intact() {
      return problems.isEmpty();
    }
  }

  public Report verify() {
    Verification walk = new Verification();
    String before = AuditChain.ORIGIN;
    List<PostgresAuditReads.Day> days = store.days();
    for (PostgresAuditReads.Day day : days) {
      if (!day.first().equals(before)) {
        walk.problems.add(
            day.day() + " does not follow the day before: a day is missing or changed");
      }
      boolean past = isPast(day.day(), Collections.max(config.days().values()));
      if (day.dropped() && !past) {
        walk.problems.add(day.day() + " is gone before its time");
      } else if (!day.dropped() && !(past && day.present() < day.events())) {
        // The rows of an expired day may be in the process of being deleted.
        walk.day(day);
      }
      before = day.head();
    }
    walk.nameMissingKeys();
    walk.problems.addAll(store.strays());
    return new Report(days.size(), walk.events, walk.erased, before, walk.problems);
  }

  /// Whether a day is more than this number of days ago.
  private boolean isPast(String day, int days) {
    return LocalDate.parse(day).isBefore(today.minusDays(days));
  }

  private boolean isPast(PostgresAuditReads.Stored row) {
    int days = AuditEvent.Kind.named(row.kind()).map(config::keep).orElse(Integer.MAX_VALUE);
    return days != Integer.MAX_VALUE && isPast(row.day(), days);
  }

  private final class Verification {
    private final List<String> problems = new ArrayList<>();
    private final Map<String, List<String>> missing = new TreeMap<>();
    private long events;
    private long erased;

    void day(PostgresAuditReads.Day day) {
      if (!keys.knows(day.keyId())) {
        missing.computeIfAbsent(day.keyId(), _ -> new ArrayList<>()).add(day.day());
        return;
      }
      String before = day.first();
      long seq = 0;
      List<PostgresAuditReads.Stored> page = store.rows(day, 0);
      while (!page.isEmpty()) {
        for (PostgresAuditReads.Stored row : page) {
          String problem = problem(day, before, seq + 1, row);
          if (!problem.isEmpty()) {
            problems.add(problem);
            return;
          }
          seq += row.events();
          events += row.events();
          before = row.hash();
        }
        page = store.rows(day, seq);
      }
      if (day.present() != day.events() || seq != day.events() || !before.equals(day.head())) {
        problems.add(
            "%s has %d events and should have %d: its end is missing or changed"
                .formatted(day.day(), day.present(), day.events()));
      }
    }

    /// One problem per key, however many days used it.
    void nameMissingKeys() {
      missing.forEach(
          (key, days) ->
              problems.add(
                  "master_secret lacks key %s, which made %d day%s (%s to %s)"
                      .formatted(
                          key,
                          days.size(),
                          days.size() == 1 ? "" : "s",
                          days.getFirst(),
                          days.getLast())));
    }

    private String problem(
        PostgresAuditReads.Day day, String before, long seq, PostgresAuditReads.Stored row) {
      if (row.seq() != seq) {
        return day.day() + " has no event " + seq;
      }
      String content = row.content();
      String digest = content == null ? String.valueOf(row.digest()) : AuditChain.digest(content);
      if (content == null) {
        erased += row.events();
        if (!isPast(row)) {
          return day.day() + " event " + seq + " has lost its content before its time";
        }
      }
      AuditChain.Place place = new AuditChain.Place(row.day(), row.seq(), row.at(), row.kind());
      return row.lines() == row.events()
              && chain.hash(day.keyId(), before, place, digest).equals(row.hash())
          ? ""
          : day.day() + " event " + seq + " was changed, or stands where it was not written";
    }
  }
}
