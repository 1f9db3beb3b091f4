package fairgate.sale.payment;

import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.WebhookSignature;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import fairgate.platform.text.Language;
import fairgate.sale.AmountProblem;
import fairgate.sale.payment.PaymentProvider.RefundOutcome;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// ECPay's all-in-one cashier for credit cards (developers.ecpay.com.tw: ?p=2862 orders, ?p=2878
/// messages, ?p=2890 and ?p=2894 queries, ?p=2885 refunds). A try is a form that the browser posts
/// to ECPay, with a trade number of ours. ECPay cannot close a page: a payment that comes after the
/// order was released is late, and takes free units or is refunded.
final class EcpayPayments implements HostedGateway {
  private static final Logger LOG = LoggerFactory.getLogger(EcpayPayments.class);
  private static final DateTimeFormatter TRADE_DATE =
      DateTimeFormatter.ofPattern("yyyy/MM/dd HH:mm:ss", Locale.ROOT)
          .withZone(ZoneId.of("Asia/Taipei"));

  /// ECPay answers 403 to callers that are too fast, and asks them to wait.
  private static final Duration PAUSE = Duration.ofMinutes(30);

  private static final int FORBIDDEN = 403;
  private static final int CENTS = 100;
  private static final int LONGEST_ITEM = 100;
  private static final int TRADE_TAIL = 18;
  private static final String PAID = "1";
  private static final String UNPAID = "0";
  private static final String FAILED = "10200095";
  private static final String NO_SUCH_TRADE = "10200047";

  private final ProviderHttp http;
  private final PaymentConfig.Account account;
  private final PostgresRefundJournal journal;
  private final PostgresCheckouts checkouts;
  private final Clock clock;
  private volatile Instant pausedUntil = Instant.EPOCH;

  EcpayPayments(
      ProviderHttp http,
      PaymentConfig.Account account,
      PostgresRefundJournal journal,
      PostgresCheckouts checkouts,
      Clock clock) {
    this.http = http;
    this.account = account;
    this.journal = journal;
    this.checkouts = checkouts;
    this.clock = clock;
  }

  @Override
  public String name() {
    return "ecpay";
  }

  @Override
  public Optional<AmountProblem> problem(Money amount) {
    if (!amount.currency().equals("TWD")) {
      return Optional.of(new AmountProblem(AmountProblem.Kind.CURRENCY, "TWD"));
    }
    return amount.minorUnits() % CENTS == 0
        ? Optional.empty()
        : Optional.of(new AmountProblem(AmountProblem.Kind.WHOLE, "TWD"));
  }

  /// The end of the order's id and the number of the try: 20 letters and digits.
  @Override
  public String reference(OrderId order, int attempt) {
    String id = order.value();
    return id.substring(id.length() - TRADE_TAIL)
        + (char) ('a' + attempt / 26)
        + (char) ('a' + attempt % 26);
  }

  @Override
  public String prepare(Purchase purchase, int attempt) {
    Order order = purchase.order();
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("MerchantID", account.id());
    fields.put("MerchantTradeNo", reference(order.id(), attempt));
    fields.put("MerchantTradeDate", TRADE_DATE.format(clock.instant()));
    fields.put("PaymentType", "aio");
    fields.put("TotalAmount", Long.toString(order.amount().minorUnits() / CENTS));
    fields.put("TradeDesc", "Order " + order.id().number());
    fields.put("ItemName", item(purchase));
    fields.put("ReturnURL", purchase.baseUrl() + "/api/payments/webhook");
    fields.put("ChoosePayment", "Credit");
    fields.put("EncryptType", "1");
    fields.put("ClientBackURL", purchase.returnUrl());
    fields.put("NeedExtraPaidInfo", "Y");
    language(purchase.language()).ifPresent(language -> fields.put("Language", language));
    return FormText.of(signed(fields));
  }

  /// ECPay separates items by `#` and refuses special characters.
  private static String item(Purchase purchase) {
    String plain = purchase.product().replaceAll("[^\\p{L}\\p{N} ]", " ").strip();
    int end = Math.min(plain.codePointCount(0, plain.length()), LONGEST_ITEM);
    return plain.substring(0, plain.offsetByCodePoints(0, end))
        + " x "
        + purchase.order().quantity();
  }

  /// ECPay's pages are in traditional Chinese unless another language is asked for.
  private static Optional<String> language(Language language) {
    return switch (language) {
      case ZH_HANT -> Optional.empty();
      case ZH_HANS -> Optional.of("CHI");
      case EN -> Optional.of("ENG");
    };
  }

  @Override
  public Page open(Attempt attempt) {
    return new Page.Form(
        account.apiUrl() + "/Cashier/AioCheckOut/V5", FormText.parse(attempt.request()));
  }

  @Override
  public State look(Attempt attempt) {
    try {
      Map<String, String> trade = trade(String.valueOf(attempt.reference()));
      return switch (trade.getOrDefault("TradeStatus", "")) {
        case UNPAID -> new State.Open();
        case FAILED -> new State.Ended(true, "ECPay " + FAILED);
        case NO_SUCH_TRADE -> new State.Absent();
        case PAID ->
            payment(trade)
                .<State>map(payment -> new State.Paid(payment, Card.of(trade)))
                .orElseGet(() -> new State.Unknown("the trade has no amount"));
        default -> new State.Unknown("ECPay " + trade.get("TradeStatus"));
      };
    } catch (ProviderHttp.NoAnswer e) {
      return new State.Unknown(e.reason());
    }
  }

  private Map<String, String> trade(String number) throws ProviderHttp.NoAnswer {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("MerchantID", account.id());
    fields.put("MerchantTradeNo", number);
    fields.put("TimeStamp", Long.toString(clock.instant().getEpochSecond()));
    Map<String, String> reply = parsed(post("/Cashier/QueryTradeInfo/V5", fields));
    if (!EcpayCheckMac.isValid(reply, account.secret(), account.secondSecret())) {
      throw new ProviderHttp.NoAnswer("the answer is not signed");
    }
    return reply;
  }

  /// ECPay takes the money when the buyer pays.
  @Override
  public State capture(Attempt attempt) {
    return look(attempt);
  }

  @Override
  public State end(Attempt attempt) {
    return look(attempt);
  }

  @Override
  public RefundOutcome refund(@Nullable Attempt attempt, Payment payment, String key) {
    if (attempt == null || attempt.reference() == null) {
      return new RefundOutcome.Refused("no trade of this server has this payment");
    }
    try {
      Trade trade = new Trade(attempt.reference(), payment);
      Card card = Card.parse(attempt.detail());
      if (card == null || account.creditCheckCode().isEmpty()) {
        return onCaptured(trade, key);
      }
      boolean isWhole = payment.amount().minorUnits() == card.dollars() * CENTS;
      return switch (capture(card)) {
        case CANCELLED ->
            isWhole
                ? new RefundOutcome.Refunded()
                : new RefundOutcome.Refused("the whole payment was cancelled at ECPay");
        case AUTHORISED ->
            isWhole
                ? act(trade, "N")
                : new RefundOutcome.Unknown("ECPay refunds parts after the daily capture");
        case CAPTURING -> isWhole ? cancelCapture(trade) : onCaptured(trade, key);
        case CAPTURED -> onCaptured(trade, key);
        case UNKNOWN -> new RefundOutcome.Unknown("the state of the payment is not known");
      };
    } catch (ProviderHttp.NoAnswer e) {
      return new RefundOutcome.Unknown(e.reason());
    }
  }

  private record Trade(String number, Payment payment) {}

  /// A card payment, as it is kept with its try.
  ///
  /// @param authorisation ECPay's `gwsr`
  /// @param dollars what was paid
  private record Card(String authorisation, long dollars) {
    static @Nullable String of(Map<String, String> fields) {
      String authorisation = fields.getOrDefault("gwsr", "");
      return authorisation.isEmpty() ? null : authorisation + ':' + fields.get("TradeAmt");
    }

    static @Nullable Card parse(@Nullable String detail) {
      int cut = detail == null ? -1 : detail.indexOf(':');
      return cut < 0 || detail == null
          ? null
          : new Card(detail.substring(0, cut), Long.parseLong(detail.substring(cut + 1)));
    }
  }

  private enum Capture {
    AUTHORISED,
    CAPTURING,
    CAPTURED,
    CANCELLED,
    UNKNOWN
  }

  /// The state by `QueryTrade/V2`: that of the newest capture, else that of the payment.
  private Capture capture(Card card) throws ProviderHttp.NoAnswer {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("MerchantID", account.id());
    fields.put("CreditRefundId", card.authorisation());
    fields.put("CreditAmount", Long.toString(card.dollars()));
    fields.put("CreditCheckCode", account.creditCheckCode());
    ProviderHttp.Answer answer = post("/CreditDetail/QueryTrade/V2", fields);
    JsonObject reply;
    try {
      reply = Json.parseObject(answer.body());
    } catch (JsonSyntaxException e) {
      throw new ProviderHttp.NoAnswer("the answer is no JSON object");
    }
    if (!(reply.get("RtnValue") instanceof JsonObject value)) {
      throw new ProviderHttp.NoAnswer("ECPay " + reply.get("RtnMsg"));
    }
    String status = String.valueOf(value.get("status"));
    if (value.get("close_data") instanceof List<?> captures
        && !captures.isEmpty()
        && captures.getLast() instanceof JsonObject last) {
      String of = String.valueOf(last.get("status"));
      if (of.equals("\u8981\u95dc\u5e33")) {
        return Capture.CAPTURING;
      }
      if (of.equals("\u5df2\u95dc\u5e33")) {
        return Capture.CAPTURED;
      }
    }
    return switch (status) {
      case "\u5df2\u6388\u6b0a", "\u64cd\u4f5c\u53d6\u6d88" -> Capture.AUTHORISED;
      case "\u5df2\u95dc\u5e33" -> Capture.CAPTURED;
      case "\u5df2\u53d6\u6d88" -> Capture.CANCELLED;
      default -> Capture.UNKNOWN;
    };
  }

  /// `R` has no idempotency key, and no query tells how much went back. So after an unknown outcome
  /// a person compares with ECPay's records.
  private RefundOutcome onCaptured(Trade trade, String key) throws ProviderHttp.NoAnswer {
    return journal.once(
        trade.payment(),
        key,
        new PostgresRefundJournal.Call() {
          @Override
          public OptionalLong returned() {
            return OptionalLong.of(0);
          }

          @Override
          public boolean tellsSum() {
            return false;
          }

          @Override
          public RefundOutcome refund() {
            return act(trade, "R");
          }
        });
  }

  /// Cancels the capture of a payment. The next try finds it authorised, and cancels that.
  private RefundOutcome cancelCapture(Trade trade) {
    RefundOutcome outcome = act(trade, "E");
    return outcome instanceof RefundOutcome.Refunded
        ? new RefundOutcome.Unknown("the capture is cancelled; the authorisation is next")
        : outcome;
  }

  private RefundOutcome act(Trade trade, String action) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("MerchantID", account.id());
    fields.put("MerchantTradeNo", trade.number());
    fields.put("TradeNo", trade.payment().id());
    fields.put("Action", action);
    fields.put("TotalAmount", Long.toString(trade.payment().amount().minorUnits() / CENTS));
    try {
      Map<String, String> reply = parsed(post("/CreditDetail/DoAction", fields));
      if (PAID.equals(reply.get("RtnCode"))) {
        return new RefundOutcome.Refunded();
      }
      return reply.containsKey("RtnCode")
          ? new RefundOutcome.Refused("ECPay " + reply.get("RtnCode") + ' ' + reply.get("RtnMsg"))
          : new RefundOutcome.Unknown("the answer has no RtnCode");
    } catch (ProviderHttp.NoAnswer e) {
      return new RefundOutcome.Unknown(e.reason());
    }
  }

  /// A message has no time, so an old one cannot be told from a new one; a repeat books nothing
  /// twice. Simulated payments of ECPay's back office are accepted and pay nothing.
  @Override
  public PaymentNotice read(PaymentNotice.Message message) {
    Map<String, String> fields;
    try {
      fields = FormText.parse(new String(message.body(), StandardCharsets.UTF_8));
    } catch (IllegalArgumentException e) {
      return new PaymentNotice.Rejected(WebhookSignature.Result.FORGED);
    }
    if (!EcpayCheckMac.isValid(fields, account.secret(), account.secondSecret())
        || !account.id().equals(fields.get("MerchantID"))) {
      return new PaymentNotice.Rejected(WebhookSignature.Result.FORGED);
    }
    String number = fields.getOrDefault("MerchantTradeNo", "");
    Attempt attempt = checkouts.byReference(number).orElse(null);
    if (!PAID.equals(fields.get("RtnCode"))) {
      if (attempt == null) {
        return new PaymentNotice.Irrelevant();
      }
      checkouts.declined(number, "declined: " + fields.get("RtnCode") + ' ' + fields.get("RtnMsg"));
      return new PaymentNotice.Declined(attempt.order().value());
    }
    if (PAID.equals(fields.get("SimulatePaid"))) {
      LOG.warn("Ignored a simulated payment of ECPay's back office; trade={}", number);
      return new PaymentNotice.Irrelevant();
    }
    Payment payment = payment(fields).orElse(null);
    if (payment == null) {
      return new PaymentNotice.Irrelevant();
    }
    if (attempt == null) {
      return new PaymentNotice.Unasked(number, payment);
    }
    checkouts.paid(number, payment, Card.of(fields));
    return new PaymentNotice.Paid(attempt.order().value(), payment);
  }

  private static Optional<Payment> payment(Map<String, String> fields) {
    String id = fields.getOrDefault("TradeNo", "");
    String units = fields.getOrDefault("TradeAmt", "");
    return Payment.isValidId(id) && units.matches("[0-9]{1,12}")
        ? Optional.of(
            new Payment(id, new Money(Math.multiplyExact(Long.parseLong(units), CENTS), "TWD")))
        : Optional.empty();
  }

  @Override
  public String acknowledgement() {
    return "1|OK";
  }

  @Override
  public String probe() throws ProviderHttp.NoAnswer {
    Map<String, String> _ = trade("fairgateprobe");
    return "the merchant is accepted";
  }

  private Map<String, String> signed(Map<String, String> fields) {
    Map<String, String> all = new TreeMap<>(fields);
    all.put(
        EcpayCheckMac.FIELD, EcpayCheckMac.of(fields, account.secret(), account.secondSecret()));
    return all;
  }

  private ProviderHttp.Answer post(String path, Map<String, String> fields)
      throws ProviderHttp.NoAnswer {
    if (clock.instant().isBefore(pausedUntil)) {
      throw new ProviderHttp.NoAnswer("ECPay limits calls; paused until " + pausedUntil);
    }
    ProviderHttp.Answer answer =
        http.send(
            http.request(account.apiUrl() + path)
                .header("content-type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(FormText.of(signed(fields)))));
    if (answer.status() == FORBIDDEN) {
      pausedUntil = clock.instant().plus(PAUSE);
      LOG.error("ECPay limits the calls of this server; paused until {}", pausedUntil);
    }
    if (!answer.isSuccess()) {
      throw new ProviderHttp.NoAnswer("status " + answer.status());
    }
    return answer;
  }

  private static Map<String, String> parsed(ProviderHttp.Answer answer)
      throws ProviderHttp.NoAnswer {
    try {
      return FormText.parse(answer.text());
    } catch (IllegalArgumentException e) {
      throw new ProviderHttp.NoAnswer("the answer is no form");
    }
  }
}
