package fairgate.redeem.transfer;

import fairgate.kernel.Iso4217;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Parses the status words, amounts and times of exports.
final class CellParser {
  private static final Map<String, String> STATUSES = statuses();
  private static final Pattern REFUNDED =
      Pattern.compile("^refunded$|退款成功|退款完成|已退款|已全额退款|已全額退款|售后完成|售後完成");
  private static final Pattern AMOUNT = Pattern.compile("\\d{1,12}(\\.\\d{1,4})?");
  private static final Pattern DECORATION =
      Pattern.compile("^(NT\\$|RMB|CNY|[¥￥$])\\s*|\\s*元$|(?<=\\d),(?=\\d{3})");
  private static final List<DateTimeFormatter> LOCAL =
      List.of(local("yyyy-M-d"), local("yyyy/M/d"), local("yyyy年M月d日"));

  private CellParser() {}

  /// `pending`, `paid`, `cancelled` or `refunded`; empty for an unknown word.
  static Optional<String> status(String word) {
    return Optional.ofNullable(STATUSES.get(word.toLowerCase(Locale.ROOT)));
  }

  /// Whether a refund column contains a completed refund.
  static boolean isRefunded(String word) {
    return REFUNDED.matcher(word).find();
  }

  /// The words [#status] knows as the seed writes them.
  static String statusNames() {
    return "paid, pending, cancelled, refunded";
  }

  /// An amount such as `1,299.00` or `¥99` in minor units; empty when it is none.
  static Optional<Long> amount(String text, String currency) {
    String bare = DECORATION.matcher(text).replaceAll("");
    if (!AMOUNT.matcher(bare).matches()) {
      return Optional.empty();
    }
    BigDecimal minor =
        new BigDecimal(bare).movePointRight(Iso4217.exponent(currency)).stripTrailingZeros();
    return minor.scale() > 0 ? Optional.empty() : Optional.of(minor.longValueExact());
  }

  /// Whether a time has no zone, and therefore needs one.
  static boolean isLocal(String text) {
    return LOCAL.stream().anyMatch(format -> local(text, format).isPresent());
  }

  /// An RFC 3339 time, or a local one in the zone; in whole microseconds, as PostgreSQL keeps it.
  static Optional<Instant> time(String text, Optional<ZoneId> zone) {
    try {
      String joined =
          text.replaceFirst("^(\\S{10}) +(?=\\d)", "$1T").replaceFirst(" +(?=[Z+-])", "");
      return Optional.of(OffsetDateTime.parse(joined).toInstant().truncatedTo(ChronoUnit.MICROS));
    } catch (DateTimeException _) {
      return zone.flatMap(
          in ->
              LOCAL.stream()
                  .flatMap(format -> local(text, format).stream())
                  .findFirst()
                  .map(time -> time.atZone(in).toInstant()));
    }
  }

  private static Optional<LocalDateTime> local(String text, DateTimeFormatter format) {
    try {
      return Optional.of(LocalDateTime.parse(text, format));
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }

  private static DateTimeFormatter local(String date) {
    return new DateTimeFormatterBuilder()
        .appendPattern(date)
        .appendPattern("[['T'][ ]H:mm[:ss]]")
        .parseDefaulting(ChronoField.HOUR_OF_DAY, 0)
        .parseDefaulting(ChronoField.MINUTE_OF_HOUR, 0)
        .parseDefaulting(ChronoField.SECOND_OF_MINUTE, 0)
        .toFormatter(Locale.ROOT);
  }

  /// The seed's words, and those of the exports of Taobao, Xiaohongshu and Douyin.
  private static Map<String, String> statuses() {
    Map<String, String> all = new HashMap<>();
    put(all, "pending", "pending", "unpaid", "等待买家付款", "待付款", "待支付", "未付款", "未支付");
    put(all, "pending", "等待付款", "尚未付款", "未付清");
    put(all, "paid", "paid", "completed", "shipped", "买家已付款", "买家已付款,等待卖家发货", "等待卖家发货");
    put(all, "paid", "卖家已发货", "卖家已发货,等待买家确认", "卖家已发货，等待买家确认", "买家已付款，等待卖家发货");
    put(all, "paid", "交易成功", "待发货", "备货中", "部分发货", "已发货", "待收货", "已收货", "已签收", "已完成");
    put(all, "paid", "已付款", "已支付", "已付費", "已付费", "已付清", "付清", "完成", "付款完成");
    put(all, "paid", "待出貨", "待出货", "備貨中", "已出貨", "運送中", "待收貨", "已收貨", "已簽收");
    put(
        all,
        "cancelled",
        "cancelled",
        "canceled",
        "closed",
        "交易关闭",
        "交易關閉",
        "不成立",
        "已關閉",
        "已取消",
        "已关闭",
        "已取消订单");
    put(all, "refunded", "refunded", "revoked", "退款成功", "退款完成", "已全額退款", "已退款", "交易关闭(退款)", "售后完成");
    return all;
  }

  private static void put(Map<String, String> all, String meaning, String... words) {
    for (String word : words) {
      all.put(word, meaning);
    }
  }
}
