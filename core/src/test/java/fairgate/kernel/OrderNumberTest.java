package fairgate.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class OrderNumberTest {
  private static final OrderId ORDER = new OrderId("order_7_0mj7zr4k8q2x5v9c1b7k4p92xm");

  @Test
  void theNumberIsTheEndOfTheOrderId() {
    assertThat(ORDER.number()).hasToString("7K4P-92XM");
    assertThat(ORDER.with(OrderNumber.of(0)).value())
        .isEqualTo("order_7_0mj7zr4k8q2x5v9c1b00000000");
    assertThat(OrderNumber.of((1L << 40) - 1)).hasToString("ZZZZ-ZZZZ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"7K4P-92XM", "7k4p92xm", " 7k4p 92xm ", "7K4P92XM"})
  void aNumberIsReadInEveryWriting(String typed) {
    assertThat(OrderNumber.parse(typed)).contains(ORDER.number());
  }

  @Test
  void lettersThatLookLikeDigitsAreRead() {
    assertThat(OrderNumber.parse("OIL0-1111")).contains(new OrderNumber("01101111"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "7K4P-92X", "7K4P-92XMM", "7K4P_92XM", "7K4U-92XM", "７K4P-92XM"})
  void otherTextsAreNoNumbers(String typed) {
    assertThat(OrderNumber.parse(typed)).isEmpty();
  }
}
