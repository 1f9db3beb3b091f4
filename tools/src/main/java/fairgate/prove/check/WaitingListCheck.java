package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I45;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Checks the order of service of one sale with a waiting list: by the time at which somebody began
/// to wait. Looks at Redis show the places of the queue and when they are admitted; the ledger has
/// the registrations and their offers.
final class WaitingListCheck {
  private static final String ENTRIES =
      """
      SELECT e.created_at, e.state, (
        SELECT min(v.at) FROM order_events v
        WHERE v.product_id = e.product_id AND v.order_id = e.order_id AND v.kind = 'reserved'
      ) AS served
      FROM standby_entries e
      WHERE e.product_id = ? AND e.seat = '' AND e.state IN ('waiting', 'offered')
      ORDER BY e.place
      """;

  private final Map<String, Wait> waits = new HashMap<>();
  private final List<Admission> admissions = new ArrayList<>();
  private Look before = new Look(0, 0, new Notice(0, 0), 0, Map.of(), Set.of());

  /// What the queue was told of the list.
  ///
  /// @param units that the first person wishes
  /// @param at milliseconds; 0 if there is nobody, or nothing was told
  record Notice(long units, long at) {}

  /// A look at a sale. Times are milliseconds of Redis.
  ///
  /// @param unpaid free units and those of unpaid orders
  /// @param confirmed paid units
  /// @param waiting the scores of the waiting places
  /// @param active the admitted places
  record Look(
      long now,
      long unpaid,
      Notice notice,
      long confirmed,
      Map<String, Double> waiting,
      Set<String> active) {
    /// Whether nobody who joined after the first person of the list may be admitted, however long
    /// ago the queue was told: PostgreSQL may be away.
    private boolean servesList() {
      return notice.at() > 0 && notice.units() > 0 && unpaid >= notice.units();
    }
  }

  /// A place that waited from the first to the last of these looks.
  private record Wait(double since, long first, long last) {}

  /// An admission between two looks, while later places had to wait for the list.
  private record Admission(String session, double since, long after, long until) {}

  /// An entry of the list.
  ///
  /// @param since the registration
  /// @param served when its units were reserved; `Long.MAX_VALUE` for not yet
  record Entry(long since, long served) {}

  synchronized void look(Look look) {
    look.waiting()
        .forEach(
            (session, since) -> {
              Wait was = waits.get(session);
              // A place that lets others go first begins to wait anew.
              long first = was == null || was.since() != since ? look.now() : was.first();
              waits.put(session, new Wait(since, first, look.now()));
            });
    // What changes between two looks and is not seen in them leaves a trace in one of these.
    boolean isSteady =
        before.notice().equals(look.notice())
            && before.confirmed() == look.confirmed()
            && before.unpaid() == look.unpaid();
    if (isSteady && look.servesList()) {
      for (String session : look.active()) {
        Double since = before.waiting().get(session);
        if (since != null) {
          admissions.add(new Admission(session, since, before.now(), look.now()));
        }
      }
    }
    before = look;
  }

  /// Compares with the ledger. No look is added meanwhile.
  synchronized void check(Connection sql, String product, InvariantResults tally)
      throws SQLException {
    List<Entry> entries = new ArrayList<>();
    for (LedgerSnapshot.Row row : LedgerSnapshot.rows(sql, ENTRIES, product)) {
      boolean isServed = row.text("state").equals("offered");
      long served = isServed ? row.number("served") : Long.MAX_VALUE;
      // The ledger of a sale with a planted fault may never have the order.
      if (served > 0) {
        entries.add(new Entry(row.number("created_at"), served));
      }
    }
    compare(product, entries, tally);
  }

  /// @param entries in the order of the list
  synchronized void compare(String product, List<Entry> entries, InvariantResults tally) {
    long since = 0;
    long lastServed = 0;
    for (Entry entry : entries) {
      // Registrations are numbered one after the other, a moment after their time.
      since = Math.max(since, entry.since());
      tally.that(
          I45,
          entry.served() >= lastServed,
          "%s: who registered at %d was served at %d, after a later entry at %d",
          product,
          entry.since(),
          entry.served(),
          lastServed);
      lastServed = Math.max(lastServed, entry.served());
      earlierPlaces(product, entry, tally);
      laterPlaces(product, new Entry(since, entry.served()), tally);
    }
  }

  private void earlierPlaces(String product, Entry entry, InvariantResults tally) {
    if (entry.served() == Long.MAX_VALUE) {
      return;
    }
    waits.forEach(
        (session, wait) -> {
          if (wait.since() < entry.since()) {
            tally.that(
                I45,
                wait.first() >= entry.served() || wait.last() <= entry.served(),
                "%s: %s waited since %.3f, and who registered at %d was served before, at %d",
                product,
                session,
                wait.since(),
                entry.since(),
                entry.served());
          }
        });
  }

  private void laterPlaces(String product, Entry entry, InvariantResults tally) {
    for (Admission admission : admissions) {
      if (admission.since() > entry.since() && admission.after() > entry.since()) {
        tally.that(
            I45,
            admission.until() >= entry.served(),
            "%s: %s joined at %.3f and was admitted before %d, though who registered at %d was"
                + " served at %d",
            product,
            admission.session(),
            admission.since(),
            admission.until(),
            entry.since(),
            entry.served());
      }
    }
  }
}
