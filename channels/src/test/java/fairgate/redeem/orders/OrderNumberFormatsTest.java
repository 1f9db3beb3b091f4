package fairgate.redeem.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OrderNumberFormatsTest {
  private final OrderNumberFormats shapes = OrderNumberFormats.of(OrderNumberFormats.DEFAULT);

  @ParameterizedTest
  @CsvSource({
    "TB20260108123456789, taobao generic",
    "TB1234567890123, taobao generic",
    "TB123456789012, generic",
    "XHS123456789012, xiaohongshu generic",
    "P123456789012345678, xiaohongshu generic",
    "DY123456789012, douyin generic",
    "321105804479247308, taobao generic",
    "3211058044792473088, taobao douyin generic",
    "order_7_0123456789abcdefghijklmnop, fairgate generic",
    "A-1_b2, generic",
    "12345, ''",
    "3.21E+18, ''",
    "../etc/passwd, ''"
  })
  void numbersAreKnownByTheirShape(String number, String platforms) {
    assertThat(String.join(" ", shapes.platformsOf(number))).isEqualTo(platforms);
  }

  @Test
  void whatCopyingAddsIsTakenAway() {
    assertThat(OrderNumberFormats.normalise("\ufeff ＴＢ１２３\u200b45\u00a067 \""))
        .isEqualTo("TB1234567");
    assertThat(OrderNumberFormats.normalise("'321105804479247308")).isEqualTo("321105804479247308");
  }

  @Test
  void sellersHaveTheirOwn() {
    OrderNumberFormats own = OrderNumberFormats.of("shopee=\\d{6,15}[A-Z]{0,8}  mine=M\\d+");
    assertThat(own.platformsOf("240101ABCDEF")).containsExactly("shopee");
    assertThat(own.platformsOf("M1")).containsExactly("mine");
    assertThat(own.names()).containsExactly("shopee", "mine");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "taobao", "a=( b=c", "Big=x", "a=x a=y"})
  void whatIsNoListIsRefused(String text) {
    assertThatThrownBy(() -> OrderNumberFormats.of(text))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
