package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.catalog.SaleKeys;
import fairgate.queue.ListTurnScript.Registration;
import fairgate.queue.ListTurnScript.Registrations;
import fairgate.queue.QueueScripts.StatusScript;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// One order of waiting over the queue and the waiting list, in `list_turn.lua` and `admit.lua`.
final class ListTurnScriptTest {
  private final SaleWorld sale = SaleWorld.open(1, "slots 5");
  private final ListTurnScript script = new ListTurnScript(sale.redis(), SaleKeys.Style.PLAIN);

  private boolean isTurn(long since, Seat seat, int units) {
    Registration first = new Registration(Instant.ofEpochMilli(since), seat);
    return script.first(sale.product(), first, units, new Registrations(1, List.of(first))).await();
  }

  private boolean isTurn(long since) {
    return isTurn(since, Seat.IN_ORDER, 1);
  }

  private Buyer joined() {
    Buyer buyer = sale.buyer();
    assertThat(sale.join(buyer)).singleElement().asString().startsWith("JOINED");
    return buyer;
  }

  private void stock(int units) {
    sale.sent("SET", sale.keys().stock(), Integer.toString(units));
  }

  private static void seated(SaleWorld in, Buyer buyer, Seat seat) {
    JoinScript join = new JoinScript(in.redis());
    JoinOutcome outcome =
        join.run(
                in.keys(),
                join.shared(in.keys()),
                new JoinScript.Join(
                    buyer.session(),
                    null,
                    buyer.device(),
                    null,
                    null,
                    List.of(),
                    0,
                    seat,
                    "decision of " + buyer.device(),
                    JoinScript.Evidence.COOKIE))
            .await();
    assertThat(outcome).isInstanceOf(JoinOutcome.Joined.class);
  }

  @Test
  void whoJoinedBeforeTheRegistrationComesFirstAndWhoJoinedLaterWaitsForTheList() {
    Buyer before = joined();
    long registered = sale.now() + 1;
    SaleWorld.await(() -> sale.now() > registered);
    Buyer later = joined();
    assertThat(isTurn(registered)).isFalse();
    assertThat(sale.admitReady()).containsExactly(before.session().value());
    assertThat(isTurn(registered)).as("an earlier place has the turn").isFalse();
    assertThat(sale.buy(before)).startsWith("RESERVED");
    assertThat(isTurn(registered)).as("nothing is free").isFalse();
    stock(1);
    assertThat(sale.admitReady()).isEmpty();
    assertThat(sale.status(later)).isEqualTo("waiting");
    assertThat(isTurn(registered)).isTrue();
    assertThat(script.nobody(sale.product()).await()).isFalse();
    assertThat(sale.admitReady()).containsExactly(later.session().value());
  }

  @Test
  void aPlaceThatWaitsForAReviewBlocksNobodyAndOneBehindOthersIsBehindTheListToo() {
    seated(sale, sale.buyer(), Seat.HELD);
    Buyer behind = sale.buyer();
    seated(sale, behind, Seat.BEHIND);
    assertThat(isTurn(sale.now() + 1)).isTrue();
    assertThat(sale.admitReady()).isEmpty();
    long registered = sale.now() + 1;
    assertThat(isTurn(registered, Seat.BEHIND, 1)).as("an earlier place is behind").isFalse();
    SaleWorld.await(() -> sale.now() > registered);
    Buyer inFront = joined();
    assertThat(isTurn(registered, Seat.BEHIND, 1)).isFalse();
    assertThat(sale.admitReady()).containsExactly(inFront.session().value());
  }

  @Test
  void laterPlacesAreAdmittedWhenTheListCannotBeServed() {
    long registered = sale.now() - 1_000;
    Buyer later = joined();
    assertThat(isTurn(registered, Seat.IN_ORDER, 2)).as("two units").isFalse();
    sale.sent("HSET", sale.keys().sale(), "held", "1");
    assertThat(sale.admitReady()).as("a held unit may come back").isEmpty();
    sale.sent("HSET", sale.keys().sale(), "held", "0");
    assertThat(sale.admitReady()).containsExactly(later.session().value());
    var _ = joined();
    stock(2);
    assertThat(isTurn(registered)).as("somebody is active").isFalse();
    assertThat(sale.admitReady()).isEmpty();
  }

  private AdmitScript.Pass admit() {
    return new AdmitScript(sale.redis()).run(sale.keys(), 250).await();
  }

  /// PostgreSQL is away for half a minute: nobody can ask who is next, and an offer expires.
  @Test
  void aListOfWhichNobodyHasToldForLongIsNotOvertakenUntilItIsAsked() {
    long registered = sale.now() - 60_000;
    Buyer later = joined();
    stock(0);
    sale.sent("HSET", sale.keys().sale(), "held", "1");
    assertThat(isTurn(registered)).isFalse();
    assertThat(admit().listIsOld()).isFalse();
    String before = Long.toString(sale.now() - 30_000);
    sale.sent("HSET", sale.keys().sale(), "list_told_at", before, "held", "0");
    stock(1);
    AdmitScript.Pass pass = admit();
    assertThat(pass.admitted()).isZero();
    assertThat(pass.listIsOld()).isTrue();
    assertThat(sale.status(later)).isEqualTo("waiting");
    assertThat(isTurn(registered)).as("it has kept its turn").isTrue();
    assertThat(script.nobody(sale.product()).await()).isFalse();
    assertThat(admit().ready()).containsExactly(later.session());
  }

  private void isTold(Buyer buyer, int ahead, int inLine) {
    Place place = new StatusScript(sale.redis()).run(buyer.session()).await().orElseThrow();
    RankScript ranks = new RankScript(sale.redis());
    Place rank =
        ranks
            .run(ranks.shared(sale.keys()), sale.product(), buyer.session())
            .await()
            .orElseThrow()
            .place();
    assertThat(List.of(place.ahead(), place.inLine())).isEqualTo(List.of(ahead, inLine));
    assertThat(List.of(rank.ahead(), rank.inLine())).isEqualTo(List.of(ahead, inLine));
  }

  /// One who joined after 1 of 5 people, and one who joined after all of them.
  @Test
  void aPlaceIsToldOfThePeopleOfTheListWhoCameBeforeIt() {
    stock(0);
    Buyer early = joined();
    long first = sale.now() - 1_000;
    long others = sale.now() + 1;
    SaleWorld.await(() -> sale.now() > others);
    Buyer late = joined();
    isTold(early, 0, 2);
    isTold(late, 1, 2);
    Registration one = new Registration(Instant.ofEpochMilli(first), Seat.IN_ORDER);
    Registration third = new Registration(Instant.ofEpochMilli(others), Seat.IN_ORDER);
    Registration last = new Registration(Instant.ofEpochMilli(first), Seat.BEHIND);
    boolean _ =
        script
            .first(sale.product(), one, 1, new Registrations(5, List.of(one, third, last)))
            .await();
    isTold(early, 2, 7);
    isTold(late, 1 + 4, 7);
    boolean _ =
        script.first(sale.product(), one, 1, new Registrations(2, List.of(one, third))).await();
    isTold(early, 1, 4);
    isTold(late, 1 + 2, 4);
    assertThat(script.nobody(sale.product()).await()).isFalse();
    isTold(late, 1, 2);
  }

  @Test
  void nothingIsOfferedUnlessTheSaleIsOpenAndCompared() {
    long registered = sale.now();
    assertThat(isTurn(registered)).isTrue();
    assertThat(isTurn(registered)).as("a repeat").isTrue();
    assertThat(sale.configure("paused")).isEqualTo("APPLIED");
    assertThat(isTurn(registered)).isFalse();
    assertThat(sale.configure("open")).isEqualTo("APPLIED");
    sale.sent("HSET", sale.keys().sale(), "run", "another");
    assertThat(isTurn(registered)).isFalse();
    SaleWorld none = SaleWorld.unknown();
    Map<String, String> before = none.dump();
    assertThat(
            new ListTurnScript(none.redis(), SaleKeys.Style.PLAIN)
                .first(
                    none.product(),
                    new Registration(Instant.EPOCH.plusMillis(1), Seat.IN_ORDER),
                    1,
                    new Registrations(0, List.of()))
                .await())
        .isFalse();
    assertThat(none.dump()).isEqualTo(before);
  }
}
