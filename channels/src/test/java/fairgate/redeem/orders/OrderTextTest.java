package fairgate.redeem.orders;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// The order number in what buyers paste.
class OrderTextTest {
  private static final String TAOBAO = "3211058044792473088";
  private static final OrderNumberFormats SHAPES =
      OrderNumberFormats.of(OrderNumberFormats.DEFAULT);

  private static String find(String text) {
    return OrderText.find(SHAPES, text).orElse("");
  }

  @Test
  void aNumberIsReadInTheCaseOfItsPlatform() {
    OrderNumberFormats shapes = OrderNumberFormats.of(OrderNumberFormats.DEFAULT);
    assertThat(OrderText.find(shapes, "my order: tb20260108123456789"))
        .contains("TB20260108123456789");
    assertThat(shapes.spelled("p123456789012345678")).isEqualTo("P123456789012345678");
    assertThat(shapes.spelled("ORDER_1_00000000000000000000000001"))
        .isEqualTo("order_1_00000000000000000000000001");
    assertThat(shapes.spelled("abc-123")).isEqualTo("abc-123");
  }

  @Test
  void theNumberAloneHoweverItWasCopied() {
    assertThat(find(TAOBAO)).isEqualTo(TAOBAO);
    assertThat(find("  3211 0580 4479 2473 088\n")).isEqualTo(TAOBAO);
    assertThat(find("３２１１０５８０４４７９２４７３０８８")).isEqualTo(TAOBAO);
    assertThat(find("'" + TAOBAO)).isEqualTo(TAOBAO);
    assertThat(find("\u200b" + TAOBAO + "\u00a0")).isEqualTo(TAOBAO);
    assertThat(find("TB20260108123456789")).isEqualTo("TB20260108123456789");
  }

  @Test
  void theNumberInTheTextOfAnOrder() {
    String text =
        """
        交易成功
        收货人：王小明 13800138000
        物流单号：SF1234567890123
        订单编号：3211058044792473088 复制
        支付宝交易号：2026010822001401234567890123
        """;
    assertThat(find(text)).isEqualTo(TAOBAO);
    assertThat(find("您的订单P123456789012345678已发货")).isEqualTo("P123456789012345678");
    assertThat(find("Order no. XHS202601080001, thanks")).isEqualTo("XHS202601080001");
  }

  @Test
  void ofTwoNumbersTheOneThatIsCalledSo() {
    assertThat(find("交易 3211058044792470011 订单号 " + TAOBAO)).isEqualTo(TAOBAO);
    assertThat(find("3211058044792470011 and " + TAOBAO)).isEqualTo("3211058044792470011");
  }

  @Test
  void numbersOfOtherShopsAreTakenWhereTheyAreAloneOrNamed() {
    assertThat(find("SHOP-2026-0001")).isEqualTo("SHOP-2026-0001");
    assertThat(find("thank you, order number: A10027-B")).isEqualTo("A10027-B");
  }

  @Test
  void shortNumbersAndThoseInASentenceAreFound() {
    assertThat(find("A1234567")).isEqualTo("A1234567");
    assertThat(find("ORDER-99")).isEqualTo("ORDER-99");
    assertThat(find("my ORDER-99 please")).isEqualTo("ORDER-99");
    assertThat(find("訂單 A1234567")).isEqualTo("A1234567");
    assertThat(find("我的訂單編號是 A1234567，謝謝")).isEqualTo("A1234567");
  }

  @Test
  void theNumberOfTheParcelOrThePaymentIsNone() {
    assertThat(find("物流單號：SF1234567890123\n訂單編號：A1234567")).isEqualTo("A1234567");
    assertThat(find("物流单号 3211058044792470011 订单号 " + TAOBAO)).isEqualTo(TAOBAO);
    assertThat(find("包裹 3211058044792470011，我的訂單 " + TAOBAO)).isEqualTo(TAOBAO);
    assertThat(find("tracking number SF1234567890, order A1234567")).isEqualTo("A1234567");
    assertThat(find("快遞的單號：SF1234567890123")).isEmpty();
    assertThat(find("物流已發出，訂單 A1234567")).isEqualTo("A1234567");
  }

  @Test
  void aTextMaySpeakOfAnOrderWithoutItsNumber() {
    assertThat(OrderText.speaksOfOrder("我的訂單呢")).isTrue();
    assertThat(OrderText.speaksOfOrder("Where is my Order?")).isTrue();
    assertThat(OrderText.speaksOfOrder("the border of Taipei")).isFalse();
  }

  @Test
  void thereMayBeNone() {
    assertThat(find("Atlantis")).isEmpty();
    assertThat(find("Taipei 101")).isEmpty();
    assertThat(find("")).isEmpty();
    assertThat(find("no number at all")).isEmpty();
    assertThat(find("订单")).isEmpty();
    assertThat(find("order thanks")).isEmpty();
    assertThat(find("x".repeat(5000))).isEmpty();
  }
}
