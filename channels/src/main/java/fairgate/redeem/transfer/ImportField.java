package fairgate.redeem.transfer;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The fields of an order in an import, with the headings that exports of shops and platforms use
/// for them, best first. The first heading is that of the default header.
///
/// The Chinese headings are those that public scripts read from exports of Taobao (订单编号, 买家实际支付金额,
/// 订单付款时间), Xiaohongshu (订单号, 用户应付金额, 支付时间) and Douyin (主订单编号, 订单应付金额, 支付完成时间). Text in brackets
/// after a heading, such as a unit, is ignored.
enum ImportField {
  ORDER_ID(
      "order_id",
      "order_no",
      "主订单编号",
      "主訂單編號",
      "订单编号",
      "訂單編號",
      "订单号",
      "訂單號",
      "订单id",
      "訂單號碼",
      "訂單id",
      "單號",
      "orderid",
      "orderno",
      "ordernumber"),
  PRODUCT_ID("product_id", "productid", "商品id", "商品编号", "商品編號"),
  PLATFORM("platform", "平台"),
  AMOUNT(
      "amount",
      "买家实际支付金额",
      "买家实付金额",
      "用户实付金额",
      "用户应付金额",
      "订单应付金额",
      "买家应付货款",
      "实付金额",
      "實付金額",
      "商家应收金额",
      "支付金额",
      "总金额",
      "總金額",
      "訂單金額",
      "買家總支付金額",
      "ordertotal",
      "grandtotal",
      "total"),
  STATUS(
      "status",
      "orderstatus",
      "financialstatus",
      "paymentstatus",
      "订单状态",
      "訂單狀態",
      "交易状态",
      "交易狀態",
      "付款狀態",
      "付款状态",
      "狀態",
      "状态"),
  /// The state of the refund, which exports of platforms have in a separate column.
  REFUND(
      "refund_status", "return/refundstatus", "退貨/退款狀態", "退货/退款状态", "售后状态", "售後狀態", "退款状态", "退款狀態"),
  PAID_AT(
      "paid_at",
      "paidat",
      "orderpaidtime",
      "datepaid",
      "買家付款時間",
      "买家付款时间",
      "订单付款时间",
      "付款时间",
      "付款時間",
      "支付完成时间",
      "支付时间",
      "支付時間",
      "付款日期"),
  EXPIRES_AT("expires_at", "有效期至", "过期时间", "過期時間"),
  CODE("code", "redemption_code", "兑换码", "兌換碼", "卡密");

  /// The fields that are the same in all rows of an order.
  static final List<ImportField> OF_ORDER =
      List.of(ORDER_ID, PLATFORM, AMOUNT, STATUS, REFUND, PAID_AT, EXPIRES_AT);

  @SuppressWarnings("ImmutableEnumChecker") // Copied, and never changed.
  private final List<String> headings;

  ImportField(String... headings) {
    this.headings = List.of(headings);
  }

  /// The name in the default header, in options and in messages.
  String wireName() {
    return headings.getFirst();
  }

  List<String> headings() {
    return headings;
  }

  static Optional<ImportField> named(String name) {
    return Arrays.stream(values())
        .filter(field -> field.wireName().equals(name.toLowerCase(Locale.ROOT)))
        .findFirst();
  }
}
