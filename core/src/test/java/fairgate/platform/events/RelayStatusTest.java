package fairgate.platform.events;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ProductId;
import fairgate.platform.events.RelayStatus.StreamLag;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RelayStatusTest {
  private static final Instant NOW = Instant.EPOCH;

  private static StreamLag lag(String product, long entries) {
    return new StreamLag(new ProductId(product), entries, 0, Duration.ofMinutes(1));
  }

  private static RelayStatus line(boolean working, StreamLag... streams) {
    return new RelayStatus(List.of(streams), 0, 0, working, NOW);
  }

  @Test
  void aFormerMasterIsNotCounted() {
    Map<String, RelayStatus> lines =
        Map.of("dead:1", line(false, lag("7", 223)), "new:2", line(true, lag("7", 0)));
    RelayStatus all = RelayStatus.of(lines, Set.of("new:2"), _ -> "new:2", NOW);
    assertThat(all.lag()).isZero();
    assertThat(all.oldest()).isEqualTo(Duration.ofMinutes(1));
    assertThat(all.working()).isTrue();
  }

  @Test
  void aMovedOutboxCountsAtItsNewNode() {
    Map<String, RelayStatus> lines =
        Map.of("a:1", line(true, lag("7", 5), lag("8", 3)), "b:2", line(true, lag("7", 1)));
    RelayStatus all =
        RelayStatus.of(
            lines, Set.of("a:1", "b:2"), id -> id.value().equals("7") ? "b:2" : "a:1", NOW);
    assertThat(all.lag()).isEqualTo(4);
  }
}
