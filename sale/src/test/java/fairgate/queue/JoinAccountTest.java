package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.kernel.ServiceUnavailable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
}
