package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.queue.QueueScripts.OwnPlaceScript;
import fairgate.queue.QueueScripts.OwnPlaceScript.Result;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// `own_place.lua`: guests who sign in half way.
final class OwnPlaceScriptTest {
  private final SaleWorld world = SaleWorld.open(10, "capacity", "2");
  private final OwnPlaceScript script = new OwnPlaceScript(world.redis());

  private Result own(Buyer guest, String account) {
    return script.run(world.keys(), guest.device(), account).await();
  }

  private Buyer guest(String device) {
    return world.buyer(device + world.product(), "");
  }

  @Test
  void aGuestKeepsThePlaceAndTheAccountHasIt() {
    Buyer guest = guest("d");
    assertThat(world.join(guest)).containsExactly("JOINED 0");
    assertThat(own(guest, "acc_a")).isEqualTo(Result.OWNED);
    assertThat(world.session(guest, "user")).isEqualTo("acc_a");
    Map<String, String> after = world.dump();
    assertThat(own(guest, "acc_a")).isEqualTo(Result.NONE);
    assertThat(own(guest, "acc_b")).isEqualTo(Result.NONE);
    assertThat(world.dump()).isEqualTo(after);
    Buyer laptop = world.buyer("l" + world.product(), "acc_a");
    assertThat(world.join(laptop)).containsExactly("ALREADY " + guest.session());
  }

  @Test
  void theAccountsPlaceFurtherInFrontIsKept() {
    Buyer known = world.buyer("k" + world.product(), "acc_a");
    Buyer guest = guest("d");
    assertThat(world.join(known, guest)).hasSize(2);
    assertThat(own(guest, "acc_a")).isEqualTo(Result.ENDED);
    assertThat(world.status(guest)).isEqualTo("expired");
    assertThat(world.send("ZSCORE", world.keys().waiting(), guest.session().value()).isNil())
        .isTrue();
    assertThat(world.join(world.buyer(guest.device(), "acc_a")))
        .containsExactly("ALREADY " + known.session());
  }

  @Test
  void theGuestsPlaceFurtherInFrontIsKept() {
    Buyer guest = guest("d");
    Buyer known = world.buyer("k" + world.product(), "acc_a");
    assertThat(world.join(guest, known)).hasSize(2);
    assertThat(own(guest, "acc_a")).isEqualTo(Result.MERGED);
    assertThat(world.status(known)).isEqualTo("expired");
    assertThat(world.join(world.buyer(known.device(), "acc_a")))
        .containsExactly("ALREADY " + guest.session());
    // Nothing is left behind when the place ends.
    assertThat(world.scripts().leave(guest).await().text()).startsWith("LEFT");
    assertThat(world.send("HLEN", world.keys().devices()).number()).isZero();
  }

  @Test
  void whileTheOrderIsHiddenTheAccountsPlaceIsKept() {
    String opens = Long.toString(SaleWorld.unknown().now() + 3_600_000);
    SaleWorld hidden = SaleWorld.in("scheduled", 10, "shuffle", "1", "opens_at", opens);
    OwnPlaceScript signIn = new OwnPlaceScript(hidden.redis());
    Buyer known = hidden.buyer("k" + hidden.product(), "acc_a");
    assertThat(hidden.join(known)).containsExactly("JOINED -1");
    String last = "999999999999";
    hidden.sent("ZADD", hidden.keys().waiting(), "XX", last, known.session().value());
    for (int i = 0; i < 5; i++) {
      Buyer guest = hidden.buyer("g" + i + hidden.product(), "");
      assertThat(hidden.join(guest)).containsExactly("JOINED -1");
      assertThat(signIn.run(hidden.keys(), guest.device(), "acc_a").await())
          .isEqualTo(Result.ENDED);
    }
    assertThat(hidden.status(known)).isEqualTo("waiting");
    assertThat(hidden.score(hidden.keys().waiting(), known.session().value()))
        .isEqualTo(Long.parseLong(last));
    assertThat(hidden.send("ZCARD", hidden.keys().waiting()).number()).isOne();
  }

  @Test
  void aSignInAfterThePurchaseGivesNoSecondLimit() {
    Buyer guest = world.ready(guest("d"));
    assertThat(world.buy(guest)).startsWith("RESERVED");
    assertThat(own(guest, "acc_a")).isEqualTo(Result.NONE);
    assertThat(world.join(world.buyer(guest.device(), "acc_a"))).containsExactly("LIMIT");
  }

  @Test
  void aSignInWhileAnotherPlaceIsReadyGivesNoSecondLimit() {
    Buyer guest = world.ready(guest("d"));
    Buyer second = world.buyer("e" + world.product(), "acc_a");
    assertThat(world.join(second)).hasSize(1);
    assertThat(own(guest, "acc_a")).isEqualTo(Result.MERGED);
    assertThat(world.buy(guest)).startsWith("RESERVED");
    assertThat(world.buy(second)).isEqualTo("NOT_IN_QUEUE");
    assertThat(world.join(world.buyer(second.device(), "acc_a"))).containsExactly("LIMIT");
  }

  @Test
  void whatAGuestBoughtOnThisDeviceCountsForTheAccountsPlace() {
    Buyer ready = world.ready(world.buyer("d" + world.product(), "acc_a"));
    world.sent("SET", world.keys().userBought(ready.device()), "1");
    assertThat(world.buy(ready)).isEqualTo("LIMIT");
  }

  @Test
  void aSaleThatCountsAccountsHasNoGuests() {
    Buyer guest = guest("d");
    assertThat(world.join(guest)).hasSize(1);
    world.sent("HSET", world.keys().sale(), "identity", "phone_");
    assertThat(own(guest, "acc_a")).isEqualTo(Result.NONE);
    assertThat(own(guest("other"), "acc_a")).isEqualTo(Result.NONE);
  }
}
