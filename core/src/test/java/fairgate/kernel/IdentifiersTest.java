package fairgate.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Locale;
import java.util.UUID;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.StringLength;

final class IdentifiersTest {
  private static final String TAIL = "0123456789abcdefghijklmnop";

  @Example
  void aProductIsOneToNineteenDigits() {
    for (String good : List.of("0", "07", "1", "9999999999999999999")) {
      assertThat(new ProductId(good)).hasToString(good);
    }
    for (String bad :
        List.of("", "a", "-1", "1 ", " 1", "1.0", "٣", "12345678901234567890", "{1}")) {
      assertThat(ProductId.isValid(bad)).as(bad).isFalse();
      assertThatThrownBy(() -> new ProductId(bad)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(new ProductId("07")).isNotEqualTo(new ProductId("7"));
  }

  @Property(tries = 200)
  void everyUuidIsASessionInLowerCaseOnly(@ForAll long max, @ForAll long least) {
    String uuid = new UUID(max, least).toString();
    assertThat(new SessionId(uuid).value()).isEqualTo(uuid);
    String upper = uuid.toUpperCase(Locale.ROOT);
    assertThat(SessionId.isValid(upper)).isEqualTo(upper.equals(uuid));
  }

  @Property(tries = 500)
  void garbageIsNotAnId(@ForAll @StringLength(max = 60) String garbage) {
    assertThat(SessionId.isValid(garbage)).isFalse();
    assertThat(OrderId.isValid(garbage)).isFalse();
  }

  @Property(tries = 200)
  void anOrderKnowsItsProduct(@ForAll @LongRange(min = 0) long number) {
    ProductId product = new ProductId(Long.toString(number));
    OrderId order = OrderId.of(product, TAIL);
    assertThat(order.product()).isEqualTo(product);
    assertThat(OrderId.isValid(order.value())).isTrue();
    assertThat(new OrderId(order.toString())).isEqualTo(order);
  }

  @Example
  void similarTextsAreNotOrderIds() {
    for (String bad :
        List.of(
            "",
            "order_",
            "order_7_",
            "order_7_" + TAIL.substring(1),
            "order_7_" + TAIL + "q",
            "order_x_" + TAIL,
            "order__" + TAIL,
            "order_7|8_" + TAIL,
            "order_7_" + TAIL.toUpperCase(Locale.ROOT),
            "Order_7_" + TAIL)) {
      assertThat(OrderId.isValid(bad)).as(bad).isFalse();
      assertThatThrownBy(() -> new OrderId(bad)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Example
  void moneyIsNeverNegativeAndNeverOverflows() {
    assertThat(new Money(9_999, "TWD").times(2)).isEqualTo(new Money(19_998, "TWD"));
    assertThatThrownBy(() -> new Money(-1, "TWD")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Money(1, "NT")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Money(Long.MAX_VALUE, "TWD").times(2))
        .isInstanceOf(ArithmeticException.class);
  }

  @Example
  void aDeviceIdIsNeverPrinted() {
    assertThat(new DeviceId("abcdefghijklmnopqrstuv")).hasToString("[device]");
    assertThatThrownBy(() -> new DeviceId("short")).isInstanceOf(IllegalArgumentException.class);
  }
}
