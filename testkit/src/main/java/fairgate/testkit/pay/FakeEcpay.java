package fairgate.testkit.pay;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// ECPay's all-in-one cashier on loopback: the form of an order, queries, messages with check
/// values, and actions on card payments. As at ECPay, an open page cannot be closed, and `R` has no
/// idempotency key.
public final class FakeEcpay extends FakeProvider {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String FORM = "application/x-www-form-urlencoded";
  private static final long QUERY_LIFE_S = 3 * 60;

  private final String merchant;
  private final String hashKey;
  private final String hashIv;
  private final String checkCode;
  private final Clock clock;
  private final AtomicLong ids = new AtomicLong(2_611_250_000_000_000L);
  private final Map<String, Trade> trades = new LinkedHashMap<>();

  /// An order at ECPay.
  public static final class Trade {
    private final Map<String, String> form;
    private final String tradeNo;
    private final List<Long> refunds = new ArrayList<>();
    private String status = "0";
    private String capture = "\u5df2\u6388\u6b0a";
    private long amount;

    private Trade(Map<String, String> form, String tradeNo) {
      this.form = form;
      this.tradeNo = tradeNo;
    }

    /// The merchant's name of the trade.
    public String number() {
      return form.getOrDefault("MerchantTradeNo", "");
    }

    /// Amounts that went back, in dollars.
    public List<Long> refunds() {
      return List.copyOf(refunds);
    }
  }

  public FakeEcpay(String merchant, String hashKey, String hashIv, String checkCode, Clock clock) {
    this.merchant = merchant;
    this.hashKey = hashKey;
    this.hashIv = hashIv;
    this.checkCode = checkCode;
    this.clock = clock;
    listen();
  }

  /// The browser posts the form of an order. Null when ECPay refuses it.
  public synchronized @Nullable Trade open(Map<String, String> form) {
    if (!isSigned(form) || trades.containsKey(form.getOrDefault("MerchantTradeNo", ""))) {
      return null;
    }
    Trade trade = new Trade(Map.copyOf(form), Long.toString(ids.incrementAndGet()));
    trades.put(trade.number(), trade);
    return trade;
  }

  /// The buyer pays.
  ///
  /// @param dollars what the card is charged; the amount of the order unless it is wrong
  public synchronized void pay(Trade trade, long dollars) {
    trade.status = "1";
    trade.amount = dollars;
  }

  /// The bank declines the card.
  public synchronized void decline(Trade trade) {
    trade.status = "10200095";
  }

  /// The daily capture.
  public synchronized void capture(Trade trade) {
    trade.capture = "\u5df2\u95dc\u5e33";
  }

  /// The body of the message about a trade.
  ///
  /// @param simulated whether it is a payment simulated in the back office
  public String message(Trade trade, boolean simulated) {
    Map<String, String> fields = new TreeMap<>();
    boolean isPaid = trade.status.equals("1");
    fields.put("MerchantID", merchant);
    fields.put("MerchantTradeNo", trade.number());
    fields.put("RtnCode", isPaid ? "1" : "10100248");
    fields.put("RtnMsg", isPaid ? "\u4ea4\u6613\u6210\u529f" : "Declined (bank)!");
    fields.put("TradeNo", trade.tradeNo);
    fields.put("TradeAmt", Long.toString(isPaid ? trade.amount : 0));
    fields.put("PaymentDate", "2026/11/25 13:00:00");
    fields.put("PaymentType", "Credit_CreditCard");
    fields.put("PaymentTypeChargeFee", "0");
    fields.put("TradeDate", trade.form.getOrDefault("MerchantTradeDate", ""));
    fields.put("SimulatePaid", simulated ? "1" : "0");
    fields.put("gwsr", gwsr(trade));
    fields.put("CheckMacValue", checkMac(fields));
    return form(fields);
  }

  /// Sends a body to the address of the order's form; returns status and body of the reply.
  public String send(Trade trade, String body) {
    URI to = URI.create(trade.form.getOrDefault("ReturnURL", ""));
    var reply = post(to, FORM, body);
    return reply.statusCode() + " " + reply.body();
  }

  /// Sends the message that a trade of another shop with the same merchant was paid; returns status
  /// and body of the reply.
  public String sendOfAnotherShop(URI to, String number, String payment) {
    Map<String, String> fields = new TreeMap<>();
    fields.put("MerchantID", merchant);
    fields.put("MerchantTradeNo", number);
    fields.put("RtnCode", "1");
    fields.put("TradeNo", payment);
    fields.put("TradeAmt", "100");
    fields.put("SimulatePaid", "0");
    fields.put("CheckMacValue", checkMac(fields));
    var reply = post(to, FORM, form(fields));
    return reply.statusCode() + " " + reply.body();
  }

  private static String gwsr(Trade trade) {
    return trade.tradeNo.substring(trade.tradeNo.length() - 8);
  }

  /// All calls are POSTs.
  @Override
  boolean changes(Call call) {
    return call.path().equals("/CreditDetail/DoAction");
  }

  @Override
  synchronized Answer answer(Call call) {
    Map<String, String> form = call.form();
    if (!isSigned(form) || !merchant.equals(form.get("MerchantID"))) {
      return new Answer(200, FORM, "0|CheckMacValue Error");
    }
    return switch (call.path()) {
      case "/Cashier/QueryTradeInfo/V5" -> query(form);
      case "/CreditDetail/QueryTrade/V2" -> queryCard(form);
      case "/CreditDetail/DoAction" -> act(form);
      default -> new Answer(404, "text/plain", "");
    };
  }

  private Answer query(Map<String, String> form) {
    long time = Long.parseLong(form.getOrDefault("TimeStamp", "0"));
    Map<String, String> reply = new TreeMap<>();
    reply.put("MerchantID", merchant);
    reply.put("MerchantTradeNo", form.getOrDefault("MerchantTradeNo", ""));
    Trade trade = trades.get(form.getOrDefault("MerchantTradeNo", ""));
    if (Math.abs(clock.instant().getEpochSecond() - time) > QUERY_LIFE_S) {
      reply.put("TradeStatus", "10200074");
    } else if (trade == null) {
      reply.put("TradeStatus", "10200047");
    } else {
      reply.put("TradeStatus", trade.status);
      reply.put("TradeNo", trade.tradeNo);
      reply.put(
          "TradeAmt",
          trade.status.equals("1")
              ? Long.toString(trade.amount)
              : trade.form.getOrDefault("TotalAmount", ""));
      reply.put("PaymentType", "Credit_CreditCard");
      reply.put("ItemName", trade.form.getOrDefault("ItemName", ""));
      reply.put("gwsr", gwsr(trade));
    }
    reply.put("CheckMacValue", checkMac(reply));
    return new Answer(200, FORM, form(reply));
  }

  private Answer queryCard(Map<String, String> form) {
    Trade trade =
        trades.values().stream()
            .filter(found -> gwsr(found).equals(form.get("CreditRefundId")))
            .findFirst()
            .orElse(null);
    ObjectNode body = JSON.createObjectNode();
    if (trade == null || !checkCode.equals(form.get("CreditCheckCode"))) {
      return new Answer(
          200, "text/html", body.put("RtnMsg", "error_nopay").putNull("RtnValue").toString());
    }
    ObjectNode value = body.put("RtnMsg", "").putObject("RtnValue");
    value
        .put("TradeID", gwsr(trade))
        .put("amount", Long.toString(trade.amount))
        .put("status", trade.capture);
    var captures = value.putArray("close_data");
    if (trade.capture.equals("\u5df2\u95dc\u5e33")) {
      captures
          .addObject()
          .put("status", trade.capture)
          .put("sno", "1")
          .put("amount", Long.toString(trade.amount))
          .put("datetime", "2026/11/25 20:15:00");
    }
    return new Answer(200, "text/html", body.toString());
  }

  private Answer act(Map<String, String> form) {
    Trade trade = trades.get(form.getOrDefault("MerchantTradeNo", ""));
    long amount = Long.parseLong(form.getOrDefault("TotalAmount", "0"));
    if (trade == null || !trade.tradeNo.equals(form.get("TradeNo"))) {
      return acted(form, "10200047", "no such trade");
    }
    boolean isCaptured = trade.capture.equals("\u5df2\u95dc\u5e33");
    long before = trade.refunds.stream().mapToLong(Long::longValue).sum();
    return switch (form.getOrDefault("Action", "")) {
      case "R" -> {
        if (!isCaptured || before + amount > trade.amount) {
          yield acted(form, "10300031", "error_refund");
        }
        trade.refunds.add(amount);
        yield acted(form, "1", "OK");
      }
      case "N" -> {
        if (!trade.capture.equals("\u5df2\u6388\u6b0a") || amount != trade.amount) {
          yield acted(form, "10300032", "error_abandon");
        }
        trade.capture = "\u5df2\u53d6\u6d88";
        trade.refunds.add(amount);
        yield acted(form, "1", "OK");
      }
      default -> acted(form, "10300033", "error_action");
    };
  }

  private Answer acted(Map<String, String> form, String code, String message) {
    Map<String, String> reply = new TreeMap<>();
    reply.put("MerchantID", merchant);
    reply.put("MerchantTradeNo", form.getOrDefault("MerchantTradeNo", ""));
    reply.put("TradeNo", form.getOrDefault("TradeNo", ""));
    reply.put("RtnCode", code);
    reply.put("RtnMsg", message);
    return new Answer(200, FORM, form(reply));
  }

  private boolean isSigned(Map<String, String> fields) {
    return checkMac(fields).equals(fields.get("CheckMacValue"));
  }

  /// The check value, written after ECPay's description and apart from the server's.
  private String checkMac(Map<String, String> fields) {
    Map<String, String> sorted = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    sorted.putAll(fields);
    sorted.remove("CheckMacValue");
    StringBuilder text = new StringBuilder("HashKey=").append(hashKey);
    sorted.forEach((name, value) -> text.append('&').append(name).append('=').append(value));
    text.append("&HashIV=").append(hashIv);
    String encoded = URLEncoder.encode(text.toString(), StandardCharsets.UTF_8);
    String[] kept = {"%21", "!", "%28", "(", "%29", ")"};
    for (int i = 0; i < kept.length; i += 2) {
      encoded = encoded.replace(kept[i], kept[i + 1]);
    }
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(encoded.toLowerCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().withUpperCase().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
