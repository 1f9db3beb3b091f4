package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.SaleWorld;
import fairgate.sale.SaleRebuild.RebuildScript;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RebuildBeginScriptTest {
  private final SaleWorld world = SaleWorld.open(5);

  private String who = "somebody";

  private boolean begin(int epoch, long cutShortAfterMs) {
    return RebuildScript.BEGIN
        .run(
            world.redis(),
            List.of(
                world.keys().sale(),
                world.keys().stock(),
                world.keys().purchases(),
                world.keys().pending()),
            List.of(Integer.toString(epoch), Long.toString(cutShortAfterMs), who))
        .await();
  }

  @Test
  void aFreshEpochBeginsWithNothingToSell() {
    world.sent("HSET", world.keys().deposits(), "order_1_u1", "free");
    assertThat(begin(2, 60_000)).isTrue();
    assertThat(world.sale("state")).isEqualTo("rebuilding");
    assertThat(world.sale("epoch")).isEqualTo("2");
    assertThat(world.sale("seq")).isEqualTo("0");
    assertThat(world.stock()).isZero();
    assertThat(world.send("EXISTS", world.keys().deposits()).number()).isZero();
    assertThat(world.buy(world.buyer())).isEqualTo("UNVERIFIED");
  }

  @Test
  void onlyTheFirstOfSeveralBegins() {
    assertThat(begin(2, 60_000)).isTrue();
    who = "another";
    assertThat(begin(2, 60_000)).isFalse();
    assertThat(begin(3, 60_000)).as("while the other is at it").isFalse();
  }

  @Test
  void aRebuildThatWasCutShortIsTakenOverInALaterEpoch() {
    assertThat(begin(2, 60_000)).isTrue();
    who = "another";
    assertThat(begin(2, 0)).isFalse();
    assertThat(begin(3, 0)).isTrue();
    assertThat(world.sale("epoch")).isEqualTo("3");
  }

  @Test
  void whoBeganMayBeginAgain() {
    assertThat(begin(2, 60_000)).isTrue();
    who = "another";
    assertThat(begin(3, 60_000)).isFalse();
    who = "somebody";
    assertThat(begin(2, 60_000)).as("in the same epoch").isFalse();
    assertThat(begin(3, 60_000)).isTrue();
  }

  @Test
  void nobodyIsAtItSinceRedisStarted() {
    assertThat(begin(2, 60_000)).isTrue();
    world.redis().send("HSET", world.keys().sale(), "rebuild_run", "earlier").await();
    who = "another";
    assertThat(begin(3, 60_000)).isTrue();
    assertThat(world.sale("epoch")).isEqualTo("3");
  }

  @Test
  void anEarlierEpochNeverComesBack() {
    assertThat(begin(1, 0)).isFalse();
    assertThat(world.sale("state")).isEqualTo("open");
    assertThat(world.stock()).isEqualTo(5);
  }
}
