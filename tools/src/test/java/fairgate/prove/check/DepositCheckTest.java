package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I46;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.crowd.proof.Gateway;
import fairgate.prove.check.DepositCheck.Deposit;
import fairgate.prove.check.DepositCheck.Money;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

@NullUnmarked
class DepositCheckTest {
  private static final Gateway NONE = null;
  private static final Money TAKEN = new Money("p1", 20, 0, 0);
  private static final Money BACK = new Money("p1", 20, 20, 1);

  private static Deposit deposit(String state, String order, long takenOff) {
    boolean isPaid = !List.of("pending", "lapsed").contains(state);
    return new Deposit("d", 20, state, "kept", isPaid ? "p1" : "", order, takenOff);
  }

  private static String verdict(Deposit deposit, Money... payments) {
    InvariantResults tally = new InvariantResults();
    new DepositCheck(NONE, tally).compare(deposit, List.of(payments));
    return tally.verdicts().getOrDefault(I46, InvariantResults.InvariantResult.NONE).word();
  }

  @Test
  void eachEndHasItsMoney() {
    assertThat(verdict(deposit("counted", "paid", 20), TAKEN)).isEqualTo("ok");
    assertThat(verdict(deposit("kept", "expired", 20), TAKEN)).isEqualTo("ok");
    assertThat(verdict(deposit("kept", "", 0), TAKEN)).isEqualTo("ok");
    assertThat(verdict(deposit("returned", "", 0), BACK)).isEqualTo("ok");
    assertThat(verdict(deposit("returned", "refunded", 20), BACK)).isEqualTo("ok");
    assertThat(verdict(deposit("paid", "", 0), TAKEN)).isEqualTo("ok");
    assertThat(verdict(deposit("lapsed", "", 0))).isEqualTo("ok");
  }

  @Test
  void moneyThatIsElsewhereIsFound() {
    assertThat(verdict(deposit("counted", "paid", 20), BACK)).isEqualTo("FAILED");
    assertThat(verdict(deposit("returned", "", 0), TAKEN)).isEqualTo("FAILED");
    assertThat(verdict(deposit("returned", "", 0), new Money("p1", 20, 40, 2))).isEqualTo("FAILED");
    assertThat(verdict(deposit("lapsed", "", 0), TAKEN)).isEqualTo("FAILED");
    assertThat(verdict(deposit("kept", "", 0))).isEqualTo("FAILED");
    assertThat(verdict(deposit("counted", "paid", 20), TAKEN, new Money("p2", 20, 0, 0)))
        .isEqualTo("FAILED");
  }

  @Test
  void anEndThatIsNotThatOfItsOrderIsFound() {
    assertThat(verdict(deposit("counted", "paid", 0), TAKEN)).isEqualTo("FAILED");
    assertThat(verdict(deposit("counted", "", 0), TAKEN)).isEqualTo("FAILED");
    assertThat(verdict(deposit("paid", "expired", 20), TAKEN)).isEqualTo("FAILED");
    assertThat(verdict(deposit("returned", "paid", 20), BACK)).isEqualTo("FAILED");
    Deposit kept = new Deposit("d", 20, "kept", "returned", "p1", "", 0);
    assertThat(verdict(kept, TAKEN)).isEqualTo("FAILED");
  }
}
