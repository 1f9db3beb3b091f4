package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.platform.redis.RedisFailure;
import fairgate.queue.QueueScripts.StatusScript;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class StatusScriptTest {
  private final SaleWorld world = SaleWorld.open(10, "capacity 3");
  private final StatusScript script = new StatusScript(world.redis());

  private Place place(Buyer buyer) {
    return script.run(buyer.session()).await().orElseThrow();
  }

  private Place unchanged(Buyer buyer) {
    return unchanged(world, buyer);
  }

  private Place unchanged(SaleWorld in, Buyer buyer) {
    Map<String, String> before = in.dump();
    Place place = place(buyer);
    assertThat(in.dump()).isEqualTo(before);
    return place;
  }

  @Test
  void nothingIsKnownOfASessionNobodyMade() {
    assertThat(script.run(world.buyer().session()).await()).isEqualTo(Optional.empty());
  }

  @Test
  void eachSessionLearnsWhereItStands() {
    List<Buyer> all = world.buyers(5);
    assertThat(world.join(all)).hasSize(5);
    assertThat(world.admit().at(1).number()).isEqualTo(3);

    Place ready = unchanged(all.get(0));
    assertThat(ready.status()).isEqualTo(Place.Status.READY_TO_PURCHASE);
    assertThat(ready.activePosition()).isZero();
    assertThat(ready.waitingPosition()).isEqualTo(-1);
    assertThat(ready.timeoutAt() - ready.readyAt()).isEqualTo(300_000);

    Place active = unchanged(all.get(2));
    assertThat(active.status()).isEqualTo(Place.Status.ACTIVE);
    assertThat(active.activePosition()).isEqualTo(2);
    assertThat(active.ahead()).isEqualTo(1);

    Place waiting = unchanged(all.get(4));
    assertThat(waiting.status()).isEqualTo(Place.Status.WAITING);
    assertThat(waiting.waitingPosition()).isEqualTo(1);
    assertThat(waiting.activePosition()).isEqualTo(-1);
    assertThat(waiting.waitingTotal()).isEqualTo(2);
    assertThat(waiting.activeTotal()).isEqualTo(3);
    assertThat(waiting.ahead()).isEqualTo(3);
    assertThat(waiting.turnMs()).isNegative();
    assertThat(waiting.product()).isEqualTo(world.product());
    assertThat(waiting.deviceHash()).isEqualTo(all.get(4).device());
    assertThat(waiting.saleState()).isEqualTo("open");
    assertThat(waiting.stock()).isEqualTo(10);
    assertThat(waiting.epoch()).isEqualTo(1);
    assertThat(waiting.tokenRequired()).isFalse();
    assertThat(waiting.now()).isBetween(world.now() - 10_000, world.now());
  }

  @Test
  void whoBoughtSeesTheOrder() {
    Buyer buyer = world.ready();
    assertThat(world.buy(buyer)).startsWith("RESERVED");
    Place place = unchanged(buyer);
    assertThat(place.status()).isEqualTo(Place.Status.PURCHASED);
    assertThat(place.order()).isEqualTo(world.session(buyer, "order")).isNotEmpty();
  }

  @Test
  void aMissedWindowIsSeenBeforeAnybodyEndsIt() {
    Buyer buyer = world.ready();
    world.windowPasses(buyer);
    Place place = unchanged(buyer);
    assertThat(place.status()).isEqualTo(Place.Status.EXPIRED);
    assertThat(place.ended()).isEqualTo("window");
    assertThat(place.activePosition()).isEqualTo(-1);
  }

  @Test
  void anEndedTurnTellsWhenTheBuyerMayJoinAgain() {
    Buyer buyer = world.ready();
    assertThat(unchanged(buyer).pauseMs()).isZero();
    world.windowPasses(buyer);
    assertThat(unchanged(buyer).pauseMs()).isEqualTo(60_000);
    assertThat(world.scripts().expire(10).await().missed()).isOne();
    assertThat(unchanged(buyer).pauseMs()).isBetween(30_000L, 60_000L);
    world.sent("DEL", world.keys().userCooldown(buyer.user()));
    assertThat(unchanged(buyer).pauseMs()).as("of the device").isPositive();
    world.sent("DEL", world.keys().deviceCooldown(buyer.device()));
    assertThat(unchanged(buyer).pauseMs()).as("over").isZero();

    Buyer again = world.ready(world.buyer(buyer.device(), ""));
    world.windowPasses(again);
    assertThat(unchanged(again).pauseMs()).as("the second one").isEqualTo(120_000);
    Buyer leaving = world.buyer();
    assertThat(world.join(leaving)).hasSize(1);
    assertThat(world.scripts().leave(leaving).await().text()).startsWith("LEFT");
    assertThat(unchanged(leaving).pauseMs()).isZero();
  }

  @Test
  void windowsStandStillWhileTheSaleIsPaused() {
    Buyer buyer = world.ready();
    assertThat(world.configure("paused")).isEqualTo("APPLIED");
    world.windowPasses(buyer);
    assertThat(unchanged(buyer).status()).isEqualTo(Place.Status.READY_TO_PURCHASE);
  }

  @Test
  void aPlaceNoQueueHoldsIsLost() {
    Buyer buyer = world.buyer();
    assertThat(world.join(buyer)).hasSize(1);
    world.sent("DEL", world.keys().waiting());
    Place place = unchanged(buyer);
    assertThat(place.status()).isEqualTo(Place.Status.EXPIRED);
    assertThat(place.ended()).isEqualTo("lost");
  }

  @Test
  void closingEndsAllPlacesAtOnce() {
    Buyer ready = world.ready();
    Buyer waiting = world.buyer();
    assertThat(world.join(waiting)).hasSize(1);
    assertThat(world.configure("closed")).isEqualTo("APPLIED");
    for (Buyer buyer : List.of(ready, waiting)) {
      Place place = unchanged(buyer);
      assertThat(place.status()).isEqualTo(Place.Status.EXPIRED);
      assertThat(place.ended()).isEqualTo("closed");
      assertThat(place.saleState()).isEqualTo("closed");
    }
  }

  @Test
  void closesAtEndsPlacesWhoseTurnHasNotCome() {
    Buyer ready = world.ready();
    Buyer waiting = world.buyer();
    assertThat(world.join(waiting)).hasSize(1);
    assertThat(world.configure("open", "closes_at " + (world.now() - 1))).isEqualTo("APPLIED");
    Place place = unchanged(waiting);
    assertThat(place.status()).isEqualTo(Place.Status.EXPIRED);
    assertThat(place.ended()).isEqualTo("closed");
    assertThat(unchanged(ready).status()).isEqualTo(Place.Status.READY_TO_PURCHASE);
  }

  @Test
  void openingIsSeenByTheClockOfRedis() {
    SaleWorld soon = SaleWorld.in("scheduled", 1, "opens_at " + (world.now() + 60_000));
    Buyer buyer = soon.buyer();
    assertThat(soon.join(buyer)).hasSize(1);
    assertThat(place(buyer).saleState()).isEqualTo("scheduled");
    soon.sent("HSET", soon.keys().sale(), "opens_at", Long.toString(world.now()));
    assertThat(place(buyer).saleState()).isEqualTo("open");
  }

  @Test
  void beingSeenIsNotedAtMostFourTimesPerTimeout() {
    SaleWorld sale = SaleWorld.open(1, "presence_ms 60000");
    Buyer buyer = sale.buyer();
    assertThat(sale.join(buyer)).hasSize(1);
    sale.reachableFor(Duration.ofSeconds(60));
    // A session seen in another hour is renewed, whenever that was.
    long recent = Math.max(sale.now() - 5_000, sale.now() / 3_600_000 * 3_600_000);
    sale.sent("HSET", sale.keys().session(buyer.session()), "seen", Long.toString(recent));
    assertThat(unchanged(sale, buyer).status()).isEqualTo(Place.Status.WAITING);
    assertThat(sale.session(buyer, "seen")).isEqualTo(Long.toString(recent));
    sale.reachableFor(Duration.ofSeconds(60));
    long longAgo = sale.now() - 16_000;
    sale.sent("HSET", sale.keys().session(buyer.session()), "seen", Long.toString(longAgo));
    assertThat(place(buyer).status()).isEqualTo(Place.Status.WAITING);
    assertThat(Long.parseLong(sale.session(buyer, "seen"))).isGreaterThan(recent);
    assertThat(sale.send("TTL", sale.keys().session(buyer.session())).number()).isPositive();
  }

  @Test
  void afterAGapInWhichNobodyWasHeardOfTheServiceCountsAsReachableSinceNow() {
    SaleWorld sale = SaleWorld.open(1, "presence_ms 60000");
    Buyer buyer = sale.buyer();
    assertThat(sale.join(buyer)).hasSize(1);
    sale.reachableFor(Duration.ofSeconds(90));
    String before = sale.sale("reachable_since");
    sale.sent("HSET", sale.keys().sale(), "contact_at", Long.toString(sale.now() - 5_000));
    assertThat(place(buyer).now()).isEqualTo(Long.parseLong(sale.sale("contact_at")));
    assertThat(sale.sale("reachable_since")).isEqualTo(before);
    sale.sent("HSET", sale.keys().sale(), "contact_at", Long.toString(sale.now() - 16_000));
    assertThat(place(buyer).now()).isEqualTo(Long.parseLong(sale.sale("reachable_since")));
    long ahead = sale.now() + 3_600_000;
    sale.sent("HSET", sale.keys().sale(), "contact_at", Long.toString(ahead));
    assertThat(place(buyer).now())
        .as("a clock that stepped back")
        .isEqualTo(Long.parseLong(sale.sale("contact_at")))
        .isEqualTo(Long.parseLong(sale.sale("reachable_since")));
  }

  @Test
  void aSessionThatIsSeenLivesAsLongAsItsSaleNeedsIt() {
    long opens = world.now() + Duration.ofDays(30).toMillis();
    SaleWorld sale = SaleWorld.in("scheduled", 0, "opens_at " + opens);
    Buyer buyer = sale.buyer();
    assertThat(sale.join(buyer)).hasSize(1);
    String key = sale.keys().session(buyer.session());
    assertThat(sale.send("PEXPIRETIME", key).number())
        .isEqualTo(opens + Duration.ofDays(1).toMillis());
    // The sale is postponed, and the person comes back three weeks later.
    long later = opens + Duration.ofDays(10).toMillis();
    assertThat(sale.configure("scheduled", "opens_at " + later)).isEqualTo("APPLIED");
    sale.lastSeen(buyer, Duration.ofDays(21));
    Place place = place(buyer);
    assertThat(place.renewed()).isTrue();
    assertThat(sale.send("PEXPIRETIME", key).number())
        .isEqualTo(later + Duration.ofDays(1).toMillis())
        .isEqualTo(place.now() + place.sessionLife().toMillis());
    assertThat(sale.scripts().leave(buyer).await().text()).startsWith("LEFT");
    sale.lastSeen(buyer, Duration.ofDays(1));
    assertThat(place(buyer).renewed()).as("a place that has ended").isFalse();
  }

  @Test
  void moreAreInLineThanAnybodyHasAhead() {
    SaleWorld sale = SaleWorld.open(10, "capacity 5 slots 2");
    List<Buyer> all = sale.buyers(13);
    assertThat(sale.join(all)).hasSize(13);
    assertThat(sale.admit().at(1).number()).isEqualTo(5);
    Place last = place(all.getLast());
    assertThat(last.waitingTotal()).isEqualTo(8);
    assertThat(last.ahead()).isEqualTo(10);
    for (Buyer buyer : all.subList(2, 13)) {
      Place place = place(buyer);
      assertThat(place.inLine()).isEqualTo(11).isGreaterThan(place.ahead());
    }
    sale.windowPasses(all.getFirst());
    assertThat(place(all.getFirst()).ahead()).isZero();
  }

  @Test
  void aKeyOfTheWrongTypePoisonsOnlyItsOwnItem() {
    SaleWorld broken = SaleWorld.open(1);
    Buyer poisoned = world.buyer();
    Buyer inBroken = broken.buyer();
    Buyer fine = world.buyer();
    assertThat(world.join(fine)).hasSize(1);
    assertThat(broken.join(inBroken)).hasSize(1);
    world.sent("SET", world.keys().session(poisoned.session()), "x");
    broken.sent("DEL", broken.keys().waiting());
    broken.sent("SET", broken.keys().waiting(), "x");
    List<String> replies =
        world.scripts().status(List.of(poisoned, inBroken, fine)).await().texts();
    assertThat(replies.get(0)).startsWith("FAULT");
    assertThat(replies.get(1)).startsWith("FAULT");
    assertThat(replies.get(2)).startsWith("waiting|");
    assertThatThrownBy(() -> place(poisoned)).isInstanceOf(RedisFailure.class);
    world.sent("DEL", world.keys().session(poisoned.session()));
  }

  @Test
  void aRepeatSaysTheSame() {
    Buyer buyer = world.ready();
    Place first = place(buyer);
    Place second = unchanged(buyer);
    assertThat(second.status()).isEqualTo(first.status());
    assertThat(second.timeoutAt()).isEqualTo(first.timeoutAt());
  }
}
