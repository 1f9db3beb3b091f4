package fairgate.platform.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EngineWaitTest {
  private static final EngineWait LONG = new EngineWait(Duration.ofMinutes(5));
  private static final EngineWait SHORT = new EngineWait(Duration.ofMillis(20));

  @Test
  void anEngineThatDoesNotAnswerAtFirstIsAskedAgain() {
    AtomicInteger asked = new AtomicInteger();
    assertThat(
            LONG.<String>answer(
                () ->
                    asked.incrementAndGet() < 3
                        ? Future.failedFuture(new ServiceUnavailable("away", Duration.ZERO))
                        : Future.succeededFuture("here")))
        .isEqualTo("here");
    assertThat(asked).hasValue(3);
  }

  @Test
  void anEngineThatIsSilentIsReportedWhenTheTimeHasEnded() {
    assertThatThrownBy(() -> SHORT.answer(() -> Promise.<String>promise().future()))
        .isInstanceOf(ServiceUnavailable.class)
        .hasMessageContaining("nothing within");
    assertThatThrownBy(
            () ->
                SHORT.<String>answer(
                    () -> Future.failedFuture(new ServiceUnavailable("away", Duration.ZERO))))
        .isInstanceOf(ServiceUnavailable.class)
        .hasMessageContaining("away");
  }

  @Test
  void aRefusalIsNotRepeated() {
    AtomicInteger asked = new AtomicInteger();
    assertThatThrownBy(
            () ->
                LONG.<String>answer(
                    () -> {
                      asked.incrementAndGet();
                      return Future.failedFuture(ServiceUnavailable.refused("wrong password"));
                    }))
        .hasMessageContaining("wrong password");
    assertThat(asked).hasValue(1);
  }
}
