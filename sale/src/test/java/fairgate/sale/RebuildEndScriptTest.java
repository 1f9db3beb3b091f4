package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.SaleWorld;
import fairgate.sale.SaleRebuild.RebuildScript;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RebuildEndScriptTest {
  private final SaleWorld world = SaleWorld.open(5);

  private boolean end(String epoch) {
    return RebuildScript.END
        .run(
            world.redis(),
            List.of(world.keys().sale(), world.keys().stock()),
            List.of(epoch, "10", "2", "3", "1", "7"))
        .await();
  }

  @Test
  void whatIsReleasedAndNotSoldIsFree() {
    world.sent("HSET", world.keys().sale(), "state", "rebuilding", "epoch", "2");
    assertThat(end("2")).isTrue();
    assertThat(world.stock()).isEqualTo(5);
    assertThat(world.sale("state")).isEqualTo("rebuilt");
    assertThat(world.sale("batch")).isEqualTo("1");
    assertThat(world.sale("earlier_events")).isEqualTo("7");
    world.assertBalanced();
  }

  @Test
  void aRepeatAndAnOvertakenRebuildChangeNothing() {
    assertThat(end("1")).as("not rebuilding").isFalse();
    assertThat(world.stock()).isEqualTo(5);
    world.sent("HSET", world.keys().sale(), "state", "rebuilding", "epoch", "3");
    assertThat(end("2")).as("overtaken").isFalse();
    assertThat(end("3")).isTrue();
    assertThat(end("3")).as("ended already").isFalse();
  }
}
