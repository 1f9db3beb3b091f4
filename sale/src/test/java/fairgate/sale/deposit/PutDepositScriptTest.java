package fairgate.sale.deposit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.SaleWorld;
import fairgate.catalog.SaleKeys;
import fairgate.catalog.SalePolicy.DepositEnd;
import fairgate.kernel.Money;
import fairgate.sale.deposit.DepositBook.PutDepositScript;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class PutDepositScriptTest {
  private final SaleWorld world = SaleWorld.open(1, "deposit", "1");
  private final PutDepositScript script = new PutDepositScript(world.redis(), SaleKeys.Style.PLAIN);

  private Deposit deposit(SaleWorld in) {
    return new Deposit(
        in.order().asDeposit(),
        "owner",
        new Money(20, "TWD"),
        Deposit.State.PAID,
        DepositEnd.KEPT,
        Instant.EPOCH,
        Instant.EPOCH,
        "payment",
        null,
        null,
        null);
  }

  @Test
  void aDepositIsPutOnceWhateverBecomesOfIt() {
    Deposit deposit = deposit(world);
    String deposits = world.keys().deposits();
    assertThat(script.run(deposit).await()).isTrue();
    assertThat(world.send("HGET", deposits, deposit.id().value()).text()).isEqualTo("free");
    assertThat(world.send("HGET", deposits, "owner").text()).isEqualTo(deposit.id() + " 20");
    assertThat(world.send("TTL", deposits).number()).isEqualTo(-1);
    world.sent("HSET", deposits, deposit.id().value(), "RETURN");
    var before = world.dump();
    assertThat(script.run(deposit).await()).as("a repeat").isTrue();
    assertThat(world.dump()).isEqualTo(before);
  }

  @Test
  void aSaleThatIsUnknownOrNotVerifiedTakesNone() {
    SaleWorld unknown = SaleWorld.unknown();
    assertThat(script.run(deposit(unknown)).await()).isFalse();
    assertThat(unknown.names()).isEmpty();
    world.sent("HSET", world.keys().sale(), "run", "another");
    assertThat(script.run(deposit(world)).await()).isFalse();
  }
}
