package fairgate.platform.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.kernel.ServiceUnavailable;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RowsTest {
  private final Rows rows = new Rows(LoggerFactory.getLogger(RowsTest.class), "numbers");

  @Test
  void aRowThatFailsIsLeftOutAndTheOthersKeepTheirOrder() {
    assertThat(rows.of(List.of("1", "two", "3", "four", "5"), Integer::valueOf, text -> text))
        .containsExactly(1, 3, 5);
  }

  @Test
  void anOutageIsNoBadRow() {
    assertThatThrownBy(
            () ->
                rows.of(
                    List.of("1"),
                    _ -> {
                      throw new ServiceUnavailable("away", Duration.ofSeconds(1));
                    },
                    text -> text))
        .isInstanceOf(ServiceUnavailable.class);
  }
}
