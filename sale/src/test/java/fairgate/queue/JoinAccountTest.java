package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.Buyer;
import fairgate.SaleScripts;
import fairgate.SaleWorld;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// `join.lua` for people with accounts.
final class JoinAccountTest {
  private final SaleWorld world = SaleWorld.open(10);
  private final JoinScript script = new JoinScript(world.redis());

  private JoinOutcome join(Buyer buyer) {
    return script
        .run(
            world.keys(),
            script.shared(world.keys()),
            new JoinScript.Join(
                buyer.session(), null, buyer.device(), buyer.account(), null, List.of(), 0))
        .await();
  }

  @Test
  void anAccountHasOneLivePlaceOnAllItsDevices() {
    Buyer phone = world.buyer("phone-" + world.product(), "acc_anna");
    Buyer laptop = world.buyer("laptop-" + world.product(), "acc_anna");
    assertThat(join(phone)).isInstanceOf(JoinOutcome.Joined.class);
    assertThat(join(laptop))
        .isEqualTo(new JoinOutcome.AlreadyInQueue(phone.session(), Duration.ofDays(1)));
    assertThat(world.session(phone, "user")).isEqualTo("acc_anna");
    assertThat(world.scripts().leave(phone).await().text()).startsWith("LEFT");
    assertThat(world.send("HLEN", world.keys().devices()).number()).isZero();
    assertThat(join(laptop)).isInstanceOf(JoinOutcome.Joined.class);
  }

  @Test
  void anAccountHasOneLivePlaceInsideOneBatch() {
    Buyer phone = world.buyer("one-" + world.product(), "acc_bert");
    Buyer laptop = world.buyer("two-" + world.product(), "acc_bert");
    assertThat(world.join(phone, laptop)).containsExactly("JOINED 0", "ALREADY " + phone.session());
  }

  @Test
  void aPlaceOfTheAccountThatNoQueueHoldsAnyMoreDoesNotBar() {
    Buyer phone = world.buyer("here-" + world.product(), "acc_carl");
    assertThat(join(phone)).isInstanceOf(JoinOutcome.Joined.class);
    world.sent("ZREM", world.keys().waiting(), phone.session().value());
    Buyer laptop = world.buyer("there-" + world.product(), "acc_carl");
    assertThat(join(laptop)).isInstanceOf(JoinOutcome.Joined.class);
  }

  @Test
  void aSaleThatCountsAccountsTakesNobodyElse() {
    world.sent("HSET", world.keys().sale(), "identity", "acc_");
    Map<String, String> before = world.dump();
    for (String user : new String[] {"", "phone_anna"}) {
      Buyer other = world.buyer("d-" + world.product(), user);
      assertThatThrownBy(() -> join(other)).isInstanceOf(ServiceUnavailable.class);
    }
    assertThat(world.dump()).isEqualTo(before);
    assertThat(join(world.buyer("e-" + world.product(), "acc_anna")))
        .isInstanceOf(JoinOutcome.Joined.class);
  }

  @Test
  void inASaleThatCountsAccountsEachOneHasAPlaceInOneBrowser() {
    world.sent("HSET", world.keys().sale(), "identity", "acc_");
    String device = "shared-" + world.product();
    Buyer anna = world.buyer(device, "acc_anna");
    Buyer bert = world.buyer(device, "acc_bert");
    assertThat(world.join(anna, bert)).containsExactly("JOINED 0", "JOINED 1");
    assertThat(world.join(anna, bert))
        .containsExactly("ALREADY " + anna.session(), "ALREADY " + bert.session());
    // A browser sends the session of its newest place, also after another account has signed in.
    SaleScripts.Join carl =
        new SaleScripts.Join(world.buyer(device, "acc_carl"), bert.session().value(), "");
    assertThat(world.scripts().join(List.of(carl)).await().textAt(0)).isEqualTo("JOINED 2");
    world.scripts().leave(anna).await();
    world.scripts().leave(bert).await();
    assertThat(world.send("HLEN", world.keys().devices()).number()).isEqualTo(2);
  }

  @Test
  void aMemberGivesTheTierToNoPlaceOfOthers() {
    Buyer friend = world.buyer("f-" + world.product(), "");
    Buyer other = world.buyer("o-" + world.product(), "acc_other");
    assertThat(world.join(friend, other)).containsExactly("JOINED 0", "JOINED 1");
    assertThat(joinAsMember("m-", "acc_anna", friend.session()))
        .isInstanceOf(JoinOutcome.AlreadyInQueue.class);
    // In the browser of the other one, after it has signed out.
    assertThat(joinAsMember("o-", "acc_anna", null)).isInstanceOf(JoinOutcome.AlreadyInQueue.class);
    assertThat(joinAsMember("m-", null, friend.session()))
        .isInstanceOf(JoinOutcome.AlreadyInQueue.class);
    assertThat(world.session(friend, "tier")).isEmpty();
    assertThat(world.session(other, "tier")).isEmpty();
    assertThat(joinAsMember("o-", "acc_other", null))
        .isInstanceOf(JoinOutcome.AlreadyInQueue.class);
    assertThat(world.session(other, "tier")).isEqualTo("1");
  }

  @Test
  void theGuestsPlaceOfOneBrowserOnlyGetsTheTierOfTheAccountThatSignedIn() {
    Buyer first = world.buyer("x-" + world.product(), "");
    Buyer second = world.buyer("y-" + world.product(), "");
    assertThat(world.join(first, second)).containsExactly("JOINED 0", "JOINED 1");
    assertThat(joinAsMember("x-", "acc_anna", null)).isInstanceOf(JoinOutcome.AlreadyInQueue.class);
    assertThat(joinAsMember("y-", "acc_anna", null)).isInstanceOf(JoinOutcome.AlreadyInQueue.class);
    assertThat(world.session(first, "tier")).isEqualTo("1");
    assertThat(world.session(first, "user")).isEqualTo("acc_anna");
    assertThat(world.session(second, "tier")).isEmpty();
    assertThat(world.session(second, "user")).isEmpty();
  }

  private JoinOutcome joinAsMember(
      String device, @Nullable String account, @Nullable SessionId named) {
    Buyer member = world.buyer(device + world.product(), account == null ? "" : account);
    return script
        .run(
            world.keys(),
            script.shared(world.keys()),
            new JoinScript.Join(
                member.session(), named, member.device(), account, null, List.of(), 1))
        .await();
  }
}
