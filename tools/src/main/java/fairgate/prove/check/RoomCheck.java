package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I25;
import static fairgate.prove.check.Invariant.I26;
import static fairgate.prove.check.Invariant.I27;
import static fairgate.prove.check.Invariant.I28;
import static fairgate.prove.check.Invariant.I29;
import static fairgate.prove.check.Invariant.I31;
import static fairgate.prove.check.Invariant.I41;

import fairgate.prove.environment.RunLog;
import fairgate.prove.room.RoomTrial;
import fairgate.prove.room.RoomVisit;
import fairgate.prove.room.RoomVisit.Call;
import fairgate.prove.room.RoomVisit.Shown;
import fairgate.prove.room.RoomVisit.Step;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;

/// Compares what the visitors of waiting rooms were told with each other. A room whose Redis lost
/// answered writes is not compared: tickets may have been given twice.
public final class RoomCheck {
  /// A slot is kept for 45 s.
  private static final long SLOT_NANOS = 40_000_000_000L;

  /// A visitor whose turn was used may ask again for 120 s.
  private static final long TURN_NANOS = 100_000_000_000L;

  private static final Set<String> LOST =
      Set.of("PLACE_GONE", "INVALID_PLACE_TOKEN", "ALREADY_INSIDE");

  private final RunLog runLog;
  private final RoomWatch watch;
  private final InvariantResults tally;

  public RoomCheck(RunLog runLog, RoomWatch watch, InvariantResults tally) {
    this.runLog = runLog;
    this.watch = watch;
    this.tally = tally;
  }

  public void check(List<RoomTrial> trials) {
    for (RoomTrial trial : trials) {
      if (runLog.losses(trial.room()).stream()
          .anyMatch(loss -> loss.to() > trial.begun() && loss.from() < trial.ended())) {
        List.of(I25, I26, I27, I28, I29, I31, I41).forEach(tally::excuse);
        continue;
      }
      List<RoomVisit> visits =
          trial.visits().stream().filter(visit -> visit.ticket() >= 0).toList();
      capacity(trial, visits);
      order(trial, visits);
      visits.forEach(visit -> cursorFirst(trial, visit));
      visits.forEach(visit -> onceEach(trial, visit));
      visits.forEach(visit -> placeKept(trial, visit));
      visits.forEach(visit -> oneBrowser(trial, visit));
      visits.forEach(visit -> oneTicket(trial, visit));
      positions(trial, visits);
    }
  }

  /// The passes that were certainly valid at the same time.
  private void capacity(RoomTrial trial, List<RoomVisit> visits) {
    record Change(long at, int by) {}
    List<Change> changes = new ArrayList<>();
    for (RoomVisit visit : visits) {
      List<Call> passes = visit.calls(Step.EXCHANGE).stream().filter(Call::ok).toList();
      List<Call> ends = visit.calls(Step.RELEASE);
      if (!passes.isEmpty() && !ends.isEmpty()) {
        changes.add(new Change(passes.getFirst().got(), 1));
        changes.add(new Change(ends.getFirst().sent(), -1));
      }
    }
    changes.sort(Comparator.comparingLong(Change::at).thenComparingInt(Change::by));
    int inside = 0;
    for (Change change : changes) {
      inside += change.by();
      tally.that(
          I25,
          inside <= trial.capacity(),
          "%s: %d visitors inside of at most %d",
          trial.room(),
          inside,
          trial.capacity());
    }
  }

  /// Between two refusals of a visitor who asks often enough, nobody behind it enters.
  private void order(RoomTrial trial, List<RoomVisit> visits) {
    record Entry(long ticket, long from, long to) {}
    List<Entry> entries = new ArrayList<>();
    for (RoomVisit visit : visits) {
      List<Call> calls = visit.calls(Step.ENTER);
      calls.stream()
          .filter(Call::ok)
          .findFirst()
          .ifPresent(
              entered -> {
                long from =
                    calls.stream().filter(Call::possible).mapToLong(Call::sent).min().orElseThrow();
                entries.add(new Entry(visit.ticket(), from, entered.got()));
              });
    }
    for (RoomVisit visit : visits) {
      List<Call> refused =
          visit.calls(Step.ENTER).stream()
              .filter(call -> call.code().equals("NOT_YOUR_TURN"))
              .toList();
      for (int i = 1; i < refused.size(); i++) {
        Call first = refused.get(i - 1);
        Call second = refused.get(i);
        if (second.got() - first.sent() > SLOT_NANOS) {
          continue;
        }
        List<Entry> before =
            entries.stream()
                .filter(entry -> entry.ticket() > visit.ticket())
                .filter(entry -> entry.from() > first.got() && entry.to() < second.sent())
                .toList();
        tally.that(
            I26,
            before.isEmpty(),
            "%s: %s entered while ticket %d was present and refused",
            trial.room(),
            before,
            visit.ticket());
      }
    }
  }

  /// The cursor was past the ticket when it entered.
  private void cursorFirst(RoomTrial trial, RoomVisit visit) {
    for (Call entered : visit.calls(Step.ENTER).stream().filter(Call::ok).toList()) {
      watch.heads(trial.room()).values().stream()
          .filter(made -> made.from() > entered.got())
          .findFirst()
          .ifPresent(
              made ->
                  tally.that(
                      I26,
                      made.cursor() > visit.ticket(),
                      "%s: ticket %d entered, and the cursor was at %d later",
                      trial.room(),
                      visit.ticket(),
                      made.cursor()));
    }
  }

  private void onceEach(RoomTrial trial, RoomVisit visit) {
    Map<String, Integer> uses = new HashMap<>();
    for (Call call : visit.calls(Step.EXCHANGE)) {
      uses.merge(call.turn(), call.ok() ? 1 : 0, Integer::sum);
    }
    uses.forEach(
        (_, times) ->
            tally.that(
                I27,
                times <= 1,
                "%s: a turn of ticket %d was used %d times",
                trial.room(),
                visit.ticket(),
                times));
    for (Call theft : visit.calls(Step.THEFT)) {
      tally.that(
          I27,
          !theft.ok(),
          "%s: the token of ticket %d admitted without its secret",
          trial.room(),
          visit.ticket());
    }
  }

  /// The pass joins the sale with the first browser, and with none that asks after the release.
  private void oneBrowser(RoomTrial trial, RoomVisit visit) {
    boolean isOwned = visit.calls(Step.SALE).stream().anyMatch(Call::ok);
    long released =
        visit.calls(Step.RELEASE).stream()
            .filter(Call::ok)
            .mapToLong(Call::got)
            .min()
            .orElse(Long.MAX_VALUE);
    for (Call shared : visit.calls(Step.SHARED_SALE)) {
      tally.that(
          I31,
          !shared.ok() || (!isOwned && shared.sent() < released),
          "%s: the pass of ticket %d joined the sale with another browser, owned: %s, released: %s",
          trial.room(),
          visit.ticket(),
          isOwned,
          shared.sent() >= released);
    }
  }

  /// A visit lasts a minute.
  private void oneTicket(RoomTrial trial, RoomVisit visit) {
    long passed =
        visit.calls(Step.EXCHANGE).stream()
            .filter(Call::ok)
            .mapToLong(Call::got)
            .min()
            .orElse(Long.MAX_VALUE);
    for (Call again : visit.calls(Step.REJOIN)) {
      if (again.got() - passed < SLOT_NANOS) {
        tally.that(
            I41,
            !again.ok(),
            "%s: the visitor inside with ticket %d got ticket %d",
            trial.room(),
            visit.ticket(),
            again.ticket());
      }
    }
  }

  /// Until a visitor leaves or is inside, a reload gives the same ticket, and no call is answered
  /// that the place is gone: not even when the answer to the exchange of its turn is lost.
  private void placeKept(RoomTrial trial, RoomVisit visit) {
    long exchanged = Long.MAX_VALUE;
    for (Call call : visit.calls()) {
      boolean isInside = call.step() == Step.EXCHANGE && call.ok();
      boolean mayHaveLeft = call.step() == Step.LEAVE && call.possible();
      if (isInside || mayHaveLeft || call.got() - exchanged > TURN_NANOS) {
        return;
      }
      if (call.step() == Step.EXCHANGE) {
        exchanged = Math.min(exchanged, call.sent());
      }
      boolean isAsked = call.step() == Step.ENTER || exchanged == Long.MAX_VALUE;
      boolean isOwn = call.step() != Step.THEFT && call.step() != Step.EXCHANGE;
      if (!isOwn || !isAsked || (call.possible() && !call.ok())) {
        continue;
      }
      boolean isLost =
          LOST.contains(call.code())
              || (call.step() == Step.JOIN && call.ok() && call.ticket() != visit.ticket());
      tally.that(I28, !isLost, "%s: ticket %d was lost: %s", trial.room(), visit.ticket(), call);
    }
  }

  /// The places that browsers computed, compared with the departures that visitors know of. A
  /// departure whose time is not known exactly may count or not.
  private void positions(RoomTrial trial, List<RoomVisit> visits) {
    NavigableMap<Long, RoomWatch.Made> heads = watch.heads(trial.room());
    List<Departure> departures = departures(visits);
    for (RoomVisit visit : visits) {
      for (Shown shown : visit.shown()) {
        Map.Entry<Long, RoomWatch.Made> made = heads.ceilingEntry(shown.sequence());
        if (made == null) {
          continue;
        }
        Range all = gone(departures, shown.cursor(), shown.last(), made.getValue());
        tally.that(
            I29,
            all.contains(shown.gone()),
            "%s: head %s tells %d gone, not %s",
            trial.room(),
            shown,
            shown.gone(),
            all);
        if (shown.ahead() >= 0) {
          Range before = gone(departures, shown.cursor(), shown.ticket(), made.getValue());
          tally.that(
              I29,
              before.contains(shown.ticket() - shown.cursor() - shown.ahead()),
              "%s: %s, with %s gone before it",
              trial.room(),
              shown,
              before);
        }
      }
    }
  }

  /// @param from the earliest time at which the ticket may be gone
  /// @param to the time from which on it is gone
  private record Departure(long ticket, long from, long to) {}

  private record Range(long least, long most) {
    boolean contains(long value) {
      return value >= least && value <= most;
    }
  }

  private static List<Departure> departures(List<RoomVisit> visits) {
    List<Departure> departures = new ArrayList<>();
    for (RoomVisit visit : visits) {
      List<Call> calls = visit.calls(Step.LEAVE).stream().filter(Call::possible).toList();
      if (!calls.isEmpty()) {
        long to =
            visit.calls(Step.LEAVE).stream()
                .filter(call -> call.ok() || call.code().equals("PLACE_GONE"))
                .mapToLong(Call::got)
                .min()
                .orElse(Long.MAX_VALUE);
        departures.add(new Departure(visit.ticket(), calls.getFirst().sent(), to));
      }
    }
    return departures;
  }

  private static Range gone(
      List<Departure> departures, long fromTicket, long toTicket, RoomWatch.Made made) {
    long least = 0;
    long most = 0;
    for (Departure departure : departures) {
      if (departure.ticket() >= fromTicket && departure.ticket() < toTicket) {
        least += departure.to() < made.from() ? 1 : 0;
        most += departure.from() < made.to() ? 1 : 0;
      }
    }
    return new Range(least, most);
  }
}
