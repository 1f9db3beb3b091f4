package fairgate.sale.payment;

import fairgate.kernel.Hashes;
import fairgate.kernel.Iso4217;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.WebhookSignature;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Language;
import fairgate.sale.AmountProblem;
import fairgate.sale.payment.PaymentProvider.RefundOutcome;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import javax.crypto.Mac;
import org.jspecify.annotations.Nullable;

/// LINE Pay, Online API v3 (pay.line.me/documents/online_v3_en.html, developers.line.biz/en/docs/
/// line-pay/appendix). A try is a payment request. The buyer authorises it at LINE Pay, and money
/// moves only when this server confirms it; so an order is closed by not confirming any more. There
/// are no webhooks: the buyer's browser comes back, and deadlines ask for the state.
record LinePayPayments(
    ProviderHttp http,
    PaymentConfig.Account account,
    PostgresRefundJournal journal,
    Supplier<UUID> nonces)
    implements HostedGateway {
  private static final Set<String> CURRENCIES = Set.of("TWD", "JPY", "THB", "USD");

  private static final String SUCCESS = "0000";
  private static final String AUTHORISED = "0110";
  private static final String CANCELLED_OR_EXPIRED = "0121";
  private static final String FAILED = "0122";
  private static final String COMPLETED = "0123";
  private static final String NO_SUCH_TRANSACTION = "1150";

  /// In process, confirmed before, in progress, internal errors: the state has to be read.
  private static final Set<String> UNKNOWN = Set.of("1145", "1152", "1172", "1198", "1199", "9000");

  /// The account is not accepted: its operator can mend it, and a repeat may work.
  private static final Set<String> ACCOUNT = Set.of("1104", "1105", "1106");

  /// A reply: its code, and `info` as far as it is an object.
  private record Reply(String code, String message, JsonObject json) {
    boolean is(String wanted) {
      return code.equals(wanted);
    }

    String reason() {
      return "LINE Pay " + code + ' ' + message;
    }

    @Nullable JsonObject info() {
      return json.get("info") instanceof JsonObject info ? info : null;
    }
  }

  @Override
  public String name() {
    return "linepay";
  }

  @Override
  public Optional<AmountProblem> problem(Money amount) {
    if (!CURRENCIES.contains(amount.currency())) {
      return Optional.of(new AmountProblem(AmountProblem.Kind.CURRENCY, "TWD, JPY, THB, USD"));
    }
    return amount.currency().equals("TWD") && major(amount).scale() > 0
        ? Optional.of(new AmountProblem(AmountProblem.Kind.WHOLE, "TWD"))
        : Optional.empty();
  }

  @Override
  public String prepare(Purchase purchase, int attempt) {
    Order order = purchase.order();
    String amount = major(order.amount()).toPlainString();
    JsonText product =
        JsonText.object()
            .put("name", purchase.product() + " \u00d7 " + order.quantity())
            .put("quantity", 1)
            .putRaw("price", amount);
    JsonText part =
        JsonText.object()
            .put("id", order.id().number().toString())
            .putRaw("amount", amount)
            .put("products", JsonText.array().add(product));
    return JsonText.object()
        .putRaw("amount", amount)
        .put("currency", order.amount().currency())
        .put("orderId", order.id().value() + '-' + attempt)
        .put("packages", JsonText.array().add(part))
        .put(
            "redirectUrls",
            JsonText.object()
                .put("confirmUrl", purchase.returnUrl())
                .put("cancelUrl", purchase.returnUrl()))
        .put(
            "options",
            JsonText.object()
                .put("display", JsonText.object().put("locale", locale(purchase.language())))
                .put("payment", JsonText.object().put("capture", true)))
        .toString();
  }

  private static String locale(Language language) {
    return switch (language) {
      case EN -> "en";
      case ZH_HANT -> "zh_TW";
      case ZH_HANS -> "zh_CN";
    };
  }

  @Override
  public @Nullable String reference(OrderId order, int attempt) {
    return null;
  }

  @Override
  public Page open(Attempt attempt) {
    try {
      Reply reply = post("/v3/payments/request", attempt.request());
      JsonObject info = reply.info();
      Object transaction = info == null ? null : info.get("transactionId");
      if (reply.is(SUCCESS)
          && info != null
          && transaction != null
          && info.get("paymentUrl") instanceof JsonObject urls
          && urls.get("web") instanceof String url) {
        return new Page.Redirect(transaction.toString(), url);
      }
      boolean mayWork =
          reply.is(SUCCESS) || UNKNOWN.contains(reply.code()) || ACCOUNT.contains(reply.code());
      return mayWork ? new Page.Unknown(reply.reason()) : new Page.Refused(reply.reason());
    } catch (ProviderHttp.NoAnswer e) {
      return new Page.Unknown(e.reason());
    }
  }

  /// A request whose reply was lost has ended: nobody knows its address, and nothing confirms it.
  @Override
  public State look(Attempt attempt) {
    if (attempt.reference() == null) {
      return new State.Ended(false, "no answer to the request");
    }
    try {
      Reply reply = get("/v3/payments/requests/" + attempt.reference() + "/check", "");
      return switch (reply.code()) {
        case SUCCESS -> new State.Open();
        case AUTHORISED -> new State.Authorised();
        case CANCELLED_OR_EXPIRED -> new State.Ended(false, reply.reason());
        case FAILED -> new State.Ended(true, reply.reason());
        case COMPLETED -> paid(attempt);
        default -> new State.Unknown(reply.reason());
      };
    } catch (ProviderHttp.NoAnswer e) {
      return new State.Unknown(e.reason());
    }
  }

  /// The payment by the provider's records.
  private State paid(Attempt attempt) throws ProviderHttp.NoAnswer {
    String transaction = String.valueOf(attempt.reference());
    return details(transaction)
        .map(details -> paid(attempt, details))
        .orElseGet(() -> new State.Unknown("the payment is not in the records yet"));
  }

  /// The payment of a confirmation, or of a record.
  private static State paid(Attempt attempt, JsonObject found) {
    String currency =
        found.get("currency") instanceof String named && CURRENCIES.contains(named)
            ? named
            : attempt.amount().currency();
    long sum = 0;
    if (found.get("payInfo") instanceof List<?> parts) {
      for (Object part : parts) {
        sum += part instanceof JsonObject paid ? minor(paid.get("amount"), currency) : 0;
      }
    }
    return sum > 0 && sum <= Payment.MOST_MINOR_UNITS
        ? new State.Paid(
            new Payment(String.valueOf(attempt.reference()), new Money(sum, currency)), null)
        : new State.Unknown("the payment has no amount");
  }

  @Override
  public State capture(Attempt attempt) {
    String transaction = attempt.reference();
    if (transaction == null) {
      return look(attempt);
    }
    String body =
        JsonText.object()
            .putRaw("amount", major(attempt.amount()).toPlainString())
            .put("currency", attempt.amount().currency())
            .toString();
    try {
      Reply reply = post("/v3/payments/" + transaction + "/confirm", body);
      if (reply.is(SUCCESS)) {
        JsonObject info = reply.info();
        return info == null ? paid(attempt) : paid(attempt, info);
      }
      return UNKNOWN.contains(reply.code())
          ? new State.Unknown(reply.reason())
          : new State.Ended(true, reply.reason());
    } catch (ProviderHttp.NoAnswer e) {
      return new State.Unknown(e.reason());
    }
  }

  /// An order that is closed is not confirmed any more, so an open request ends by itself.
  @Override
  public State end(Attempt attempt) {
    return look(attempt);
  }

  @Override
  public RefundOutcome refund(@Nullable Attempt attempt, Payment payment, String key) {
    try {
      return journal.once(
          payment,
          key,
          new PostgresRefundJournal.Call() {
            @Override
            public OptionalLong returned() throws ProviderHttp.NoAnswer {
              return LinePayPayments.this.returned(payment);
            }

            @Override
            public boolean tellsSum() {
              return true;
            }

            @Override
            public RefundOutcome refund() {
              return LinePayPayments.this.refund(payment);
            }
          });
    } catch (ProviderHttp.NoAnswer e) {
      return new RefundOutcome.Unknown(e.reason());
    }
  }

  private RefundOutcome refund(Payment payment) {
    String body =
        JsonText.object()
            .putRaw("refundAmount", major(payment.amount()).toPlainString())
            .toString();
    try {
      Reply reply = post("/v3/payments/" + payment.id() + "/refund", body);
      if (reply.is(SUCCESS)) {
        return new RefundOutcome.Refunded();
      }
      return UNKNOWN.contains(reply.code())
          ? new RefundOutcome.Unknown(reply.reason())
          : new RefundOutcome.Refused(reply.reason());
    } catch (ProviderHttp.NoAnswer e) {
      return new RefundOutcome.Unknown(e.reason());
    }
  }

  /// The sum of the payment's refunds; empty when LINE Pay does not know the payment.
  private OptionalLong returned(Payment payment) throws ProviderHttp.NoAnswer {
    JsonObject found = details(payment.id()).orElse(null);
    if (found == null) {
      return OptionalLong.empty();
    }
    long sum = 0;
    if (found.get("refundList") instanceof List<?> refunds) {
      for (Object refund : refunds) {
        if (refund instanceof JsonObject made) {
          sum += Math.abs(minor(made.get("refundAmount"), payment.amount().currency()));
        }
      }
    }
    return OptionalLong.of(sum);
  }

  /// The provider's record of a payment; empty when there is none.
  private Optional<JsonObject> details(String transaction) throws ProviderHttp.NoAnswer {
    Reply reply = get("/v3/payments", "transactionId=" + FormText.encoded(transaction));
    if (reply.is(NO_SUCH_TRANSACTION)) {
      return Optional.empty();
    }
    if (!reply.is(SUCCESS)) {
      throw new ProviderHttp.NoAnswer(reply.reason());
    }
    return reply.json().get("info") instanceof List<?> list
            && !list.isEmpty()
            && list.getFirst() instanceof JsonObject first
        ? Optional.of(first)
        : Optional.empty();
  }

  @Override
  public PaymentNotice read(PaymentNotice.Message message) {
    return new PaymentNotice.Rejected(WebhookSignature.Result.FORGED);
  }

  @Override
  public String acknowledgement() {
    return "";
  }

  @Override
  public String probe() throws ProviderHttp.NoAnswer {
    Reply reply = get("/v3/payments", "orderId=fairgate-probe");
    if (!reply.is(SUCCESS) && !reply.is(NO_SUCH_TRANSACTION)) {
      throw new ProviderHttp.NoAnswer(reply.reason());
    }
    return "the channel is accepted";
  }

  /// The amount in units with decimals, as LINE Pay writes it.
  private static BigDecimal major(Money amount) {
    BigDecimal units =
        BigDecimal.valueOf(amount.minorUnits(), amount.exponent()).stripTrailingZeros();
    return units.scale() < 0 ? units.setScale(0, RoundingMode.UNNECESSARY) : units;
  }

  private static long minor(@Nullable Object number, String currency) {
    return number instanceof Number
        ? new BigDecimal(number.toString())
            .movePointRight(Iso4217.exponent(currency))
            .setScale(0, RoundingMode.HALF_UP)
            .longValueExact()
        : 0;
  }

  private Reply get(String path, String query) throws ProviderHttp.NoAnswer {
    String target = query.isEmpty() ? path : path + '?' + query;
    return send(signed(http.request(account.apiUrl() + target).GET(), path, query));
  }

  private Reply post(String path, String body) throws ProviderHttp.NoAnswer {
    return send(
        signed(
            http.request(account.apiUrl() + path).POST(HttpRequest.BodyPublishers.ofString(body)),
            path,
            body));
  }

  private HttpRequest.Builder signed(HttpRequest.Builder request, String path, String payload) {
    String nonce = nonces.get().toString();
    return request
        .header("content-type", "application/json")
        .header("x-line-channelid", account.id())
        .header("x-line-authorization-nonce", nonce)
        .header("x-line-authorization", signature(account.secret(), path, payload, nonce));
  }

  /// The base64 of HMAC-SHA256 with the channel secret over secret, path, body or query, and nonce.
  static String signature(String secret, String path, String payload, String nonce) {
    byte[] text = (secret + path + payload + nonce).getBytes(StandardCharsets.UTF_8);
    Mac mac = Hashes.hmac(secret.getBytes(StandardCharsets.UTF_8));
    return Base64.getEncoder().encodeToString(mac.doFinal(text));
  }

  private Reply send(HttpRequest.Builder request) throws ProviderHttp.NoAnswer {
    ProviderHttp.Answer answer = http.send(request);
    if (!answer.isSuccess()) {
      throw new ProviderHttp.NoAnswer("status " + answer.status());
    }
    JsonObject json = answer.json();
    return new Reply(
        String.valueOf(json.get("returnCode")), String.valueOf(json.get("returnMessage")), json);
  }
}
