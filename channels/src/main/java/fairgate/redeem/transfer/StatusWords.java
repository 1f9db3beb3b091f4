package fairgate.redeem.transfer;

import java.text.Normalizer;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// The words for the status of an order in exports: those of Taobao, Tmall, Xiaohongshu, Douyin,
/// Shopee, Shopify and WooCommerce, and the operators' own, which come first.
///
/// Words are compared by their letters and digits alone, without regard to case, width and
/// punctuation.
public final class StatusWords {
  public static final List<String> STATUSES = List.of("paid", "pending", "cancelled", "refunded");

  public static final int MAX_LENGTH = 100;

  private static final Pattern BESIDE = Pattern.compile("[^\\p{L}\\p{N}]+");
  private static final Pattern REFUNDED =
      Pattern.compile(
          "^refunded$|^(return)?refund(completed|issued|succeeded)$|退款成功|退款完成|已退款|已全额退款|已全額退款"
              + "|售后完成|售後完成|^全额退款$|^全額退款$");
  private static final Pattern IN_PART = Pattern.compile("部分|partial");
  private static final Map<String, String> KNOWN = platforms();

  private final Map<String, String> own;

  /// @param own normal form to status; see [#normal]
  StatusWords(Map<String, String> own) {
    this.own = Map.copyOf(own);
  }

  /// One of [#STATUSES]; empty for an unknown word.
  Optional<String> status(String word) {
    String normal = normal(word);
    String status = own.getOrDefault(normal, KNOWN.get(normal));
    return status == null && isRefunded(word)
        ? Optional.of("refunded")
        : Optional.ofNullable(status);
  }

  /// One of [#STATUSES], by the words of the platforms alone.
  static Optional<String> known(String word) {
    return new StatusWords(Map.of()).status(word);
  }

  /// Whether a word of any column tells a completed refund of the whole order.
  static boolean isRefunded(String word) {
    String normal = normal(word);
    return REFUNDED.matcher(normal).find() && !IN_PART.matcher(normal).find();
  }

  /// The form in which words are compared; empty for a word without letters and digits.
  static String normal(String word) {
    String folded = Normalizer.normalize(word, Normalizer.Form.NFKC).toLowerCase(Locale.ROOT);
    return BESIDE.matcher(folded).replaceAll("");
  }

  private static Map<String, String> platforms() {
    Map<String, String> all = new HashMap<>();
    taobao(all);
    put(all, "pending", "pending", "unpaid", "待付款", "待支付", "未付款", "未支付", "已下单待付款", "支付处理中");
    put(all, "pending", "等待付款", "尚未付款", "未付清", "待買家付款", "待買家付款中");
    put(all, "paid", "paid", "completed", "shipped", "已付款", "已支付", "已付費", "已付费", "已付清", "付清");
    put(all, "paid", "待发货", "备货中", "部分发货", "已发货", "待收货", "已收货", "已签收", "已完成", "清关中");
    put(all, "paid", "已支付处理中", "已支付，处理中", "待揽收", "运输中", "已送达", "完成", "付款完成");
    put(all, "paid", "待出貨", "待出货", "待發貨", "備貨中", "已出貨", "部分出貨", "運送中", "待收貨", "已收貨");
    put(all, "paid", "已簽收", "已送達", "已到貨", "部分退款", "部分退款成功", "部分退款完成");
    put(all, "cancelled", "cancelled", "canceled", "closed", "不成立", "已取消", "已关闭", "已關閉");
    put(all, "cancelled", "已取消订单", "已取消訂單", "订单取消", "订单关闭", "訂單取消", "買家取消", "賣家取消");
    put(all, "refunded", "refunded", "revoked", "交易关闭(退款)", "全额退款", "全額退款");
    // Shopee in English.
    put(
        all,
        "paid",
        "to ship",
        "ready to ship",
        "processed",
        "shipping",
        "to receive",
        "delivered");
    // Shopify.
    put(all, "pending", "authorized", "partially paid");
    put(all, "paid", "partially refunded", "fulfilled", "partially fulfilled");
    put(all, "cancelled", "voided", "expired");
    // WooCommerce, whose data base puts "wc-" in front.
    put(all, "pending", "pending payment", "on hold", "failed", "draft", "checkout draft");
    put(all, "pending", "wc-pending", "wc-on-hold", "wc-failed", "wc-checkout-draft");
    put(all, "paid", "processing", "wc-processing", "wc-completed");
    put(all, "cancelled", "wc-cancelled");
    put(all, "refunded", "wc-refunded");
    return Map.copyOf(all);
  }

  /// The words of Taobao and Tmall on their pages and in their interface.
  private static void taobao(Map<String, String> all) {
    put(all, "pending", "等待买家付款", "等待買家付款", "没有创建支付宝交易", "国际信用卡支付付款确认中");
    put(all, "pending", "0元购合约中", "定金已付，尾款未付", "WAIT_BUYER_PAY", "TRADE_NO_CREATE_PAY");
    put(all, "pending", "PAY_PENDING", "WAIT_PRE_AUTH_CONFIRM");
    put(all, "paid", "买家已付款", "买家已付款，等待卖家发货", "等待卖家发货", "卖家部分发货", "卖家已发货");
    put(all, "paid", "卖家已发货，等待买家确认", "卖家已发货，等待买家确认收货", "等待买家确认收货", "交易成功");
    put(all, "paid", "買家已付款，等待賣家發貨", "賣家已發貨，等待買家確認", "买家已签收，货到付款专用");
    put(all, "paid", "拼团中订单或者发货强管控的订单，已付款但禁止发货", "WAIT_SELLER_SEND_GOODS");
    put(all, "paid", "SELLER_CONSIGNED_PART", "WAIT_BUYER_CONFIRM_GOODS", "TRADE_BUYER_SIGNED");
    put(all, "paid", "TRADE_FINISHED", "PAID_FORBID_CONSIGN");
    put(all, "cancelled", "交易关闭", "交易關閉", "交易自动关闭", "卖家或买家主动关闭交易");
    put(all, "cancelled", "付款以前，卖家或买家主动关闭交易", "付款以前，賣家或買家主動關閉交易");
    put(all, "cancelled", "TRADE_CLOSED_BY_TAOBAO");
    put(all, "refunded", "付款以后用户退款成功，交易自动关闭", "付款以後用戶退款成功，交易自動關閉", "TRADE_CLOSED");
  }

  private static void put(Map<String, String> all, String meaning, String... words) {
    for (String word : words) {
      all.put(normal(word), meaning);
    }
  }
}
