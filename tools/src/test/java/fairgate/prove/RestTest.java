package fairgate.prove;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Pending work that is done, stuck, or done too slowly: a reason makes the run inconclusive.
class RestTest {
  private static final Duration LONG = Duration.ofHours(1);

  private final List<String> reasons = new ArrayList<>();

  @Test
  void workThatIsDoneIsNoReason() {
    AtomicInteger left = new AtomicInteger(3);
    boolean atRest =
        new Rest(LONG, LONG, 0, reasons::add)
            .await(() -> left.get() == 0 ? "" : left.getAndDecrement() + " orders");
    assertThat(atRest).isTrue();
    assertThat(reasons).isEmpty();
  }

  @Test
  void workThatIsStuckIsAReasonAndIsCompared() {
    boolean atRest = new Rest(Duration.ZERO, LONG, 0, reasons::add).await(() -> "2 orders ");
    assertThat(atRest).isTrue();
    assertThat(reasons).singleElement().asString().contains("came to rest", "2 orders (");
  }

  @Test
  void workThatGoesOnTooLongIsAReasonAndIsNotCompared() {
    AtomicInteger looks = new AtomicInteger();
    boolean atRest =
        new Rest(LONG, Duration.ZERO, 0, reasons::add)
            .await(() -> looks.incrementAndGet() + " orders ");
    assertThat(atRest).isFalse();
    assertThat(reasons).singleElement().asString().contains("came to rest", "1 orders (");
  }
}
