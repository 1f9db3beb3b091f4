package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.kernel.ServiceUnavailable;
import fairgate.sale.LedgerView.Head;
import fairgate.sale.SaleScripts.LiveScript;
import fairgate.sale.SaleScripts.StockBatchScript;
import fairgate.sale.TrustScript.Reply;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// A sale in a Redis that was started anew: nothing is written until it was compared with the
/// ledger.
final class TrustScriptTest {
  private final SaleWorld world = SaleWorld.open(5, "slots 9");
  private final TrustScript script = new TrustScript(world.redis());

  private static final long NEW_EPOCH = 10;

  private Reply trust(long epoch, long seq) {
    return script.run(world.keys(), head(epoch, seq), NEW_EPOCH).await();
  }

  private static Head head(long epoch, long seq) {
    return new Head(epoch, seq, seq, 0, 0, 0);
  }

  private PurchaseOutcome buy(Buyer buyer) {
    return new PurchaseScript(world.redis())
        .run(
            world.keys(),
            PurchaseScript.shared(world.keys(), Duration.ofDays(1)),
            new PurchaseScript.Attempt(
                world.order(),
                buyer.session(),
                1,
                null,
                new PurchaseScript.Idempotency("key-" + buyer.session(), "print")))
        .await();
  }

  private void restarted() {
    world.sent("HSET", world.keys().sale(), "run", "0123456789012345678901234567890123456789");
  }

  private boolean trusted() {
    return new LiveScript(world.redis()).run(world.keys()).await().trusted();
  }

  @Test
  void aNewSaleIsTrusted() {
    assertThat(trusted()).isTrue();
    assertThat(trust(0, 0)).isEqualTo(Reply.TRUSTED);
  }

  @Test
  void nothingIsSoldOrReleasedBeforeItIsTrusted() {
    Buyer before = world.ready();
    PurchaseOutcome first = buy(before);
    Buyer buyer = world.ready();
    restarted();
    assertThat(trusted()).isFalse();
    Map<String, String> dump = world.dump();
    assertThatThrownBy(() -> buy(buyer)).isInstanceOf(ServiceUnavailable.class);
    assertThat(new StockBatchScript(world.redis()).run(world.keys(), 2, 5).await())
        .isEqualTo(StockBatchScript.Reply.NO_SALE);
    assertThat(world.dump()).isEqualTo(dump);
    assertThat(buy(before)).as("what was answered stays answered").isInstanceOf(first.getClass());
    assertThat(trust(1, 2)).isEqualTo(Reply.TRUSTED);
    assertThat(trusted()).isTrue();
    assertThat(buy(buyer)).isInstanceOf(PurchaseOutcome.Reserved.class);
  }

  /// Units may have come back in the last second before the restart; nothing else could be wrong.
  @Test
  void whoIsTooLateIsToldSoBeforeItIsTrustedUnlessTheSaleIsBeingRebuilt() {
    Buyer late = world.ready();
    world.sent("SET", world.keys().stock(), "0");
    restarted();
    assertThat(buy(late)).isEqualTo(new PurchaseOutcome.SoldOut());
    assertThatThrownBy(() -> buy(world.buyer())).isInstanceOf(ServiceUnavailable.class);
    world.sent("HSET", world.keys().sale(), "run", "");
    assertThatThrownBy(() -> buy(late)).isInstanceOf(ServiceUnavailable.class);
  }

  @Test
  void aSaleOlderThanTheLedgerIsNotTrusted() {
    restarted();
    Map<String, String> dump = world.dump();
    assertThat(trust(1, 2)).as("the ledger has one event more").isEqualTo(Reply.BEHIND);
    assertThat(trust(2, 0)).as("the ledger is in a later epoch").isEqualTo(Reply.BEHIND);
    assertThat(world.dump()).isEqualTo(dump);
    assertThat(trust(1, 1)).isEqualTo(Reply.TRUSTED);
    assertThat(trust(0, 99)).as("the ledger is in an earlier epoch").isEqualTo(Reply.TRUSTED);
  }

  @Test
  void aRestartOpensANewEpochAndARepeatDoesNot() {
    restarted();
    assertThat(trust(1, 1)).isEqualTo(Reply.TRUSTED);
    LiveCounters live = new LiveScript(world.redis()).run(world.keys()).await();
    assertThat(live.epoch()).isEqualTo(NEW_EPOCH);
    assertThat(live.seq()).isZero();
    assertThat(live.earlierEvents()).as("the batch of units").isEqualTo(1);
    Map<String, String> dump = world.dump();
    assertThat(trust(1, 1)).isEqualTo(Reply.TRUSTED);
    assertThat(world.dump()).isEqualTo(dump);
    restarted();
    assertThat(trust(1, 1)).as("an epoch that is not new").isEqualTo(Reply.BEHIND);
  }

  @Test
  void aRebuildIsFinishedFirst() {
    world.sent("HSET", world.keys().sale(), "state", "rebuilding");
    restarted();
    assertThat(trust(0, 0)).isEqualTo(Reply.BEHIND);
  }

  @Test
  void aSaleThereIsNotStaysAway() {
    SaleWorld none = SaleWorld.unknown();
    assertThat(script.run(none.keys(), Head.NOTHING, NEW_EPOCH).await()).isEqualTo(Reply.NO_SALE);
    assertThat(none.dump()).isEmpty();
  }
}
