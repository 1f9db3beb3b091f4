package fairgate.draw;

import fairgate.draw.PostgresEntries.Entry;
import fairgate.draw.PostgresOffers.OpenOffer;
import fairgate.draw.PostgresOffers.Settlement;
import fairgate.draw.PostgresOffers.Totals;
import fairgate.draw.PostgresOffers.Treatment;
import fairgate.draw.leaf.Allotment;
import fairgate.draw.leaf.Allotment.Status;
import fairgate.draw.leaf.HouseLeaf;
import fairgate.draw.leaf.HouseLeaf.AllocationReport;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.MerkleBuilder;
import fairgate.draw.tlog.StrictText;
import fairgate.kernel.ProductId;
import fairgate.queue.WinnerPlaces;
import fairgate.queue.WinnerPlaces.State;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// Offers the units of a draw in the order of the lots. At any time, the units of open offers and
/// those bought are at most the units of the draw. Every step finds in PostgreSQL what earlier ones
/// have done, so a crash at any moment neither doubles nor loses an offer. Calls block.
final class DrawAllocation {
  private static final int MAX_OFFERS = 500;
  private static final String PARTIAL = "partial";
  private static final String WINDOW = "window";

  private final DrawFeature.Stores stores;
  private final PostgresOffers offers;
  private final WinnerPlaces places;
  private final DrawKeys keys;
  private final Predicate<ProductId> isSaleOpen;
  private final Clock clock;

  /// @param isSaleOpen whether the sale of a product takes purchases now
  DrawAllocation(
      DrawFeature.Stores stores,
      WinnerPlaces places,
      DrawKeys keys,
      Predicate<ProductId> isSaleOpen,
      Clock clock) {
    this.stores = stores;
    this.offers = stores.offers();
    this.places = places;
    this.keys = keys;
    this.isSaleOpen = isSaleOpen;
    this.clock = clock;
  }

  /// Settles offers that are over, passes their units on, and makes the next offers.
  ///
  /// @return whether the allocation is complete
  boolean pass(Draw draw) {
    settle(draw);
    logPassed(draw);
    return offer(draw);
  }

  private void settle(Draw draw) {
    long after = -1;
    List<OpenOffer> open = offers.open(draw.id(), after);
    while (!open.isEmpty()) {
      seat(draw, open.stream().filter(offer -> !offer.seated()).toList());
      settle(draw, open.stream().filter(OpenOffer::seated).toList());
      after = open.getLast().rank();
      open = offers.open(draw.id(), after);
    }
  }

  /// Gives winners their places. One that is too late has passed its units on.
  private void seat(Draw draw, List<OpenOffer> some) {
    List<WinnerPlaces.Winner> winners =
        some.stream()
            .map(
                it ->
                    new WinnerPlaces.Winner(
                        it.session(), it.device(), it.user(), it.quantity(), it.claimUntil()))
            .toList();
    List<WinnerPlaces.Seat> seats = places.seat(draw.product(), winners);
    List<Long> seated = new ArrayList<>();
    List<Settlement> late = new ArrayList<>();
    for (int i = 0; i < some.size(); i++) {
      switch (seats.get(i)) {
        case SEATED, SAME -> seated.add(some.get(i).rank());
        case OVER -> late.add(new Settlement(some.get(i).rank(), 0, WINDOW));
        case NOT_OPEN, NOT_FIRST -> {}
      }
    }
    offers.seated(draw.id(), seated, true);
    offers.settle(draw.id(), late);
  }

  private void settle(Draw draw, List<OpenOffer> some) {
    List<State> states =
        places.states(draw.product(), some.stream().map(OpenOffer::session).toList());
    List<Settlement> settled = new ArrayList<>();
    List<Long> lost = new ArrayList<>();
    for (int i = 0; i < some.size(); i++) {
      long rank = some.get(i).rank();
      switch (states.get(i)) {
        case State.Open() -> {}
        case State.Bought(int units) -> settled.add(new Settlement(rank, units, PARTIAL));
        case State.Ended(String reason) -> settled.add(new Settlement(rank, 0, reason));
        case State.Unknown() -> lost.add(rank);
      }
    }
    offers.settle(draw.id(), settled);
    // Redis has lost the place: the next pass seats the winner again, until the offer's end.
    offers.seated(draw.id(), lost, false);
  }

  private void logPassed(Draw draw) {
    List<PostgresOffers.Passed> some = offers.unlogged(draw.id());
    while (!some.isEmpty()) {
      for (PostgresOffers.Passed one : some) {
        long _ =
            stores
                .logs()
                .append(
                    keys.houseOrigin(),
                    new HouseLeaf.Pass(draw.id(), one.rank(), one.leaf(), one.units(), one.reason())
                        .data())
                .await();
      }
      offers.logged(draw.id(), some.stream().map(PostgresOffers.Passed::rank).toList());
      some = offers.unlogged(draw.id());
    }
  }

  /// Makes offers while units are free. Returns whether the allocation is complete.
  private boolean offer(Draw draw) {
    long size = draw.seal().orElseThrow().head().size();
    while (true) {
      Totals totals = offers.totals(draw.id());
      long free = draw.rules().units() - totals.bought() - totals.offered();
      boolean isOver =
          draw.rules().allocateUntil().isPresent()
              && clock.millis() / 1000 >= draw.rules().allocateUntil().getAsLong();
      if (free == 0 || totals.ranks() == size || isOver) {
        return totals.offered() == 0;
      }
      if (!isSaleOpen.test(draw.product())) {
        // The time of an offer must not run before its winner can buy.
        return false;
      }
      List<Treatment> next = next(draw, totals.ranks(), free);
      if (next.isEmpty()) {
        // The next entry wants more than what is free. Open offers may still pass units on.
        return totals.offered() == 0;
      }
      long claimUntil =
          ClaimTimes.endOf(clock.millis(), draw.terms().claimMinutes(), draw.terms().zone());
      if (offers.add(draw.id(), next, claimUntil) == 0) {
        // The draw was aborted, or another node has made these offers.
        return false;
      }
      seat(draw, offers.open(draw.id(), totals.ranks() - 1));
    }
  }

  /// The treatment of the next ranks, as far as the free units reach.
  private List<Treatment> next(Draw draw, long rank, long units) {
    List<Hash> leaves = stores.results().leavesFrom(draw.id(), rank);
    leaves = leaves.subList(0, Math.min(MAX_OFFERS, leaves.size()));
    Map<Hash, Long> indexes = stores.logs().indexesOf(keys.entriesOrigin(draw.id()), leaves);
    Map<Hash, Entry> byLeaf =
        stores.entries().at(draw.id(), List.copyOf(indexes.values())).stream()
            .collect(Collectors.toMap(Entry::leaf, Function.identity()));
    List<Treatment> treatments = new ArrayList<>();
    long free = units;
    for (int i = 0; i < leaves.size() && free > 0; i++) {
      Entry entry = byLeaf.get(leaves.get(i));
      if (entry == null) {
        throw new IllegalStateException("a result has a leaf without an entry: " + draw.id());
      }
      Status status = status(entry, free);
      if (status == Status.UNFIT && !draw.rules().skipsUnfit()) {
        break;
      }
      if (status == Status.OFFERED) {
        free -= entry.quantity();
      }
      treatments.add(new Treatment(rank + i, entry.index(), status, entry.quantity()));
    }
    return treatments;
  }

  private static Status status(Entry entry, long free) {
    if (entry.absence().isPresent()) {
      return entry.absence().get().equals("withdrawn") ? Status.WITHDRAWN : Status.EXCLUDED;
    }
    return entry.quantity() <= free ? Status.OFFERED : Status.UNFIT;
  }

  /// The final account of a complete allocation.
  ///
  /// @param lines the file `allotments`
  record Account(HouseLeaf.Report leaf, String lines) {}

  Account account(Draw draw) {
    List<Allotment> all = offers.allotments(draw.id());
    MerkleBuilder tree = new MerkleBuilder();
    StringBuilder lines = new StringBuilder();
    for (Allotment one : all) {
      tree.add(Merkle.leafHash(StrictText.bytes(one.line())));
      lines.append(one.line());
    }
    AllocationReport report =
        AllocationReport.of(draw.rules().stock(), draw.rules().holdbacks(), all);
    if (!report.addsUp()) {
      throw new IllegalStateException("the account of a draw does not add up: " + draw.id());
    }
    Hash result = Merkle.leafHash(draw.leaves().result().orElseThrow());
    return new Account(
        new HouseLeaf.Report(draw.id(), result, report, tree.head()), lines.toString());
  }

  /// The ends of offers. An offer ends between 08:00 and 22:00 local time, so that nobody loses it
  /// asleep.
  static final class ClaimTimes {
    private static final LocalTime MORNING = LocalTime.of(8, 0);
    private static final LocalTime EVENING = LocalTime.of(22, 0);

    private ClaimTimes() {}

    /// The end of an offer that begins now, ms: after the claim time, or if that is at night, after
    /// the claim time of the next morning, at most in its evening.
    static long endOf(long now, long claimMinutes, ZoneId zone) {
      Duration claim = Duration.ofMinutes(claimMinutes);
      ZonedDateTime end = Instant.ofEpochMilli(now).plus(claim).atZone(zone);
      LocalTime time = end.toLocalTime();
      if (!time.isBefore(MORNING) && !time.isAfter(EVENING)) {
        return end.toInstant().toEpochMilli();
      }
      LocalDate day = time.isBefore(MORNING) ? end.toLocalDate() : end.toLocalDate().plusDays(1);
      ZonedDateTime morning = day.atTime(MORNING).atZone(zone);
      ZonedDateTime evening = day.atTime(EVENING).atZone(zone);
      ZonedDateTime later = morning.plus(claim);
      return (later.isAfter(evening) ? evening : later).toInstant().toEpochMilli();
    }
  }
}
