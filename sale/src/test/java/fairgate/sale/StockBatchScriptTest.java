package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.SaleWorld;
import fairgate.platform.redis.RedisFailure;
import fairgate.sale.SaleScripts.StockBatchScript;
import fairgate.sale.SaleScripts.StockBatchScript.Reply;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class StockBatchScriptTest {
  private final SaleWorld world = SaleWorld.open(0);
  private final StockBatchScript script = new StockBatchScript(world.redis());

  private Reply apply(int batch, int units) {
    return script.run(world.keys(), batch, units).await();
  }

  private void changesNothing(Reply word, int batch) {
    Map<String, String> before = world.dump();
    assertThat(apply(batch, 7)).isEqualTo(word);
    assertThat(world.dump()).isEqualTo(before);
  }

  @Test
  void aBatchPutsItsUnitsOnSale() {
    assertThat(apply(1, 5)).isEqualTo(Reply.APPLIED);
    assertThat(apply(2, 3)).isEqualTo(Reply.APPLIED);
    assertThat(world.stock()).isEqualTo(8);
    assertThat(world.sale("released")).isEqualTo("8");
    assertThat(world.sale("batch")).isEqualTo("2");
    assertThat(world.send("TTL", world.keys().stock()).number()).isEqualTo(-1);
    String entries = world.send("XRANGE", world.keys().outbox(), "-", "+").texts().toString();
    assertThat(entries)
        .contains("seq, 1, epoch, 1, kind, stock, batch, 1, quantity, 5, at, ")
        .contains("seq, 2, epoch, 1, kind, stock, batch, 2, quantity, 3, at, ");
    world.assertBalanced();
  }

  @Test
  void aRepeatedBatchChangesNothing() {
    assertThat(apply(1, 5)).isEqualTo(Reply.APPLIED);
    assertThat(apply(2, 5)).isEqualTo(Reply.APPLIED);
    changesNothing(Reply.ALREADY, 2);
    changesNothing(Reply.ALREADY, 1);
  }

  @Test
  void aBatchThatSkipsOneWaits() {
    changesNothing(Reply.GAP, 2);
    assertThat(apply(1, 5)).isEqualTo(Reply.APPLIED);
    changesNothing(Reply.GAP, 3);
  }

  @Test
  void aSaleThereIsNotTakesNoBatch() {
    SaleWorld none = SaleWorld.unknown();
    assertThat(script.run(none.keys(), 1, 5).await()).isEqualTo(Reply.NO_SALE);
    assertThat(none.dump()).isEmpty();
  }

  @Test
  void aKeyOfTheWrongTypeLeavesEverythingAsItWas() {
    for (String key : List.of(world.keys().outbox(), world.keys().stock())) {
      world.sent("SADD", key, "x");
      assertThatThrownBy(() -> apply(1, 5)).isInstanceOf(RedisFailure.class);
      assertThat(world.sale("released")).isEqualTo("0");
      assertThat(world.sale("batch")).isEqualTo("0");
      world.sent("DEL", key);
    }
    assertThat(world.send("EXISTS", world.keys().stock()).number()).isZero();
    assertThat(apply(1, 5)).isEqualTo(Reply.APPLIED);
  }

  @Test
  void eachBatchIsReleasedOnceHoweverManyApplyIt() {
    Random random = new Random(7);
    List<Future<Reply>> runs = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      int batch = 1 + random.nextInt(10);
      runs.add(script.run(world.keys(), batch, batch));
    }
    List<Reply> words = Future.all(runs).map(done -> done.<Reply>list()).await();
    assertThat(words).filteredOn(Reply.APPLIED::equals).hasSize(10);
    assertThat(world.stock()).isEqualTo(55);
    world.assertBalanced();
  }
}
