package fairgate.sale.payment;

import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.WebhookSignature;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import fairgate.platform.text.Language;
import fairgate.sale.AmountProblem;
import fairgate.sale.payment.PaymentNotice.Dispute;
import fairgate.sale.payment.PaymentProvider.RefundOutcome;
import java.net.http.HttpRequest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Stripe Checkout (docs.stripe.com/api/checkout/sessions). A try is a Checkout Session for card
/// payments, which end at once; it is created with an idempotency key and expired before the order
/// is released. The payment is the PaymentIntent.
record StripePayments(
    ProviderHttp http,
    PaymentConfig.Account account,
    StripeSignature signature,
    PostgresCheckouts checkouts,
    Clock clock)
    implements HostedGateway {
  /// The fields below have not changed since.
  private static final String VERSION = "2024-06-20";

  /// Stripe refuses sessions that live less than 30 minutes or more than 24 hours.
  private static final Duration SHORTEST = Duration.ofMinutes(31);

  private static final Duration LONGEST = Duration.ofHours(23);
  private static final int BAD_REQUEST = 400;
  private static final int UNAUTHORIZED = 401;
  private static final int PAYMENT_REQUIRED = 402;
  private static final int NOT_FOUND = 404;

  @Override
  public String name() {
    return "stripe";
  }

  @Override
  public Optional<AmountProblem> problem(Money amount) {
    return StripeAmount.problem(amount);
  }

  @Override
  public String prepare(Purchase purchase, int attempt) {
    Order order = purchase.order();
    String id = order.id().value();
    Instant now = clock.instant();
    Instant payBy = Instant.ofEpochMilli(order.payBy());
    Instant soonest = now.plus(SHORTEST);
    Instant latest = now.plus(LONGEST);
    Instant expires = payBy.isBefore(soonest) ? soonest : payBy.isAfter(latest) ? latest : payBy;
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("mode", "payment");
    fields.put("payment_method_types[0]", "card");
    fields.put("client_reference_id", id);
    fields.put("metadata[order_id]", id);
    fields.put("payment_intent_data[metadata][order_id]", id);
    fields.put("payment_intent_data[description]", order.id().number().toString());
    fields.put("line_items[0][quantity]", "1");
    fields.put(
        "line_items[0][price_data][currency]", order.amount().currency().toLowerCase(Locale.ROOT));
    fields.put(
        "line_items[0][price_data][unit_amount]",
        Long.toString(StripeAmount.of(order.amount()).orElseThrow()));
    fields.put("line_items[0][price_data][product_data][name]", title(purchase));
    fields.put("expires_at", Long.toString(expires.getEpochSecond()));
    fields.put("success_url", purchase.returnUrl());
    fields.put("cancel_url", purchase.returnUrl());
    fields.put("locale", locale(purchase.language()));
    return FormText.of(fields);
  }

  /// Stripe adds up line items, so one line has the whole amount and says for how many units.
  private static String title(Purchase purchase) {
    return purchase.product() + " \u00d7 " + purchase.order().quantity();
  }

  private static String locale(Language language) {
    return switch (language) {
      case EN -> "en";
      case ZH_HANT -> "zh-TW";
      case ZH_HANS -> "zh";
    };
  }

  @Override
  public @Nullable String reference(OrderId order, int attempt) {
    return null;
  }

  @Override
  public Page open(Attempt attempt) {
    try {
      ProviderHttp.Answer answer =
          http.send(
              post("/v1/checkout/sessions", attempt.request())
                  .header(
                      "idempotency-key",
                      "checkout_" + attempt.order().value() + '_' + attempt.number()));
      if (answer.isSuccess()
          && answer.json().get("id") instanceof String id
          && answer.json().get("url") instanceof String url) {
        return new Page.Redirect(id, url);
      }
      return isRefusal(answer)
          ? new Page.Refused(error(answer))
          : new Page.Unknown("status " + answer.status());
    } catch (ProviderHttp.NoAnswer e) {
      return new Page.Unknown(e.reason());
    }
  }

  @Override
  public State look(Attempt attempt) {
    if (attempt.reference() == null) {
      return new State.Absent();
    }
    try {
      ProviderHttp.Answer answer = http.send(get("/v1/checkout/sessions/" + attempt.reference()));
      return answer.isSuccess()
          ? state(answer.json())
          : new State.Unknown("status " + answer.status());
    } catch (ProviderHttp.NoAnswer e) {
      return new State.Unknown(e.reason());
    }
  }

  @Override
  public State capture(Attempt attempt) {
    return look(attempt);
  }

  /// Expires the session. When the reply to its creation was lost, the creation is repeated, which
  /// returns the same session.
  @Override
  public State end(Attempt attempt) {
    String session = attempt.reference();
    if (session == null) {
      switch (open(attempt)) {
        case Page.Redirect(String id, String url) -> {
          checkouts.opened(attempt, id, url);
          session = id;
        }
        case Page.Refused(String reason) -> {
          return new State.Ended(false, reason);
        }
        case Page.Unknown(String reason) -> {
          return new State.Unknown(reason);
        }
        case Page.Form _ -> throw new IllegalStateException("Stripe has no forms");
      }
    }
    try {
      ProviderHttp.Answer expired =
          http.send(post("/v1/checkout/sessions/" + session + "/expire", ""));
      JsonObject found = expired.json();
      if (expired.status() == BAD_REQUEST) {
        // It is paid, or has expired by itself.
        ProviderHttp.Answer answer = http.send(get("/v1/checkout/sessions/" + session));
        found = answer.json();
        if (!answer.isSuccess()) {
          return new State.Unknown("status " + answer.status());
        }
      } else if (!expired.isSuccess()) {
        return new State.Unknown("status " + expired.status());
      }
      State state = state(found);
      return state instanceof State.Open ? new State.Unknown("the session is still open") : state;
    } catch (ProviderHttp.NoAnswer e) {
      return new State.Unknown(e.reason());
    }
  }

  private static State state(JsonObject session) {
    return switch (String.valueOf(session.get("status"))) {
      case "open" -> new State.Open();
      case "expired" -> new State.Ended(false, "the session has expired");
      case "complete" ->
          payment(session)
              .<State>map(payment -> new State.Paid(payment, null))
              .orElseGet(() -> new State.Unknown("the payment is processed"));
      default -> new State.Unknown("the session has an unknown status");
    };
  }

  /// The payment of a session; empty unless it is paid.
  private static Optional<Payment> payment(JsonObject session) {
    return "paid".equals(session.get("payment_status"))
            && session.get("payment_intent") instanceof String intent
            && Payment.isValidId(intent)
            && session.get("amount_total") instanceof Long amount
            && amount >= 0
            && amount <= Payment.MOST_MINOR_UNITS
            && session.get("currency") instanceof String currency
            && currency.matches("[a-z]{3}")
        ? Optional.of(new Payment(intent, StripeAmount.parse(amount, currency)))
        : Optional.empty();
  }

  /// Stripe keeps idempotency keys for at least a day, and a refund may be retried later than that.
  /// So the refunds of the payment are read first; each has its key in its metadata.
  @Override
  public RefundOutcome refund(@Nullable Attempt attempt, Payment payment, String key) {
    try {
      ProviderHttp.Answer made =
          http.send(get("/v1/refunds?limit=100&payment_intent=" + FormText.encoded(payment.id())));
      if (!made.isSuccess()) {
        return made.status() == BAD_REQUEST || made.status() == NOT_FOUND
            ? new RefundOutcome.Refused(error(made))
            : new RefundOutcome.Unknown("status " + made.status());
      }
      if (made.json().get("data") instanceof List<?> refunds) {
        for (Object refund : refunds) {
          if (refund instanceof JsonObject found && key.equals(key(found))) {
            return outcome(found);
          }
        }
      }
      return create(payment, key);
    } catch (ProviderHttp.NoAnswer e) {
      return new RefundOutcome.Unknown(e.reason());
    }
  }

  private RefundOutcome create(Payment payment, String key) throws ProviderHttp.NoAnswer {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("payment_intent", payment.id());
    fields.put("amount", Long.toString(StripeAmount.of(payment.amount()).orElseThrow()));
    fields.put("metadata[fairgate_key]", key);
    ProviderHttp.Answer answer =
        http.send(
            post("/v1/refunds", FormText.of(fields)).header("idempotency-key", "refund_" + key));
    if (answer.isSuccess()) {
      return outcome(answer.json());
    }
    return isRefusal(answer)
        ? new RefundOutcome.Refused(error(answer))
        : new RefundOutcome.Unknown("status " + answer.status());
  }

  private static @Nullable Object key(JsonObject refund) {
    return refund.get("metadata") instanceof JsonObject metadata
        ? metadata.get("fairgate_key")
        : null;
  }

  private static RefundOutcome outcome(JsonObject refund) {
    String status = String.valueOf(refund.get("status"));
    return switch (status) {
      case "succeeded" -> new RefundOutcome.Refunded();
      case "failed", "canceled" -> new RefundOutcome.Refused("the refund is " + status);
      default -> new RefundOutcome.Unknown("the refund is " + status);
    };
  }

  @Override
  public PaymentNotice read(PaymentNotice.Message message) {
    WebhookSignature.Result verdict =
        signature.verify(message.headers().get(StripeSignature.HEADER), message.body());
    if (verdict != WebhookSignature.Result.GENUINE) {
      return new PaymentNotice.Rejected(verdict);
    }
    JsonObject event;
    try {
      event = Json.parseObject(message.body());
    } catch (JsonSyntaxException e) {
      throw new InvalidRequest("", e.problem().key());
    }
    if (!(event.get("data") instanceof JsonObject data)
        || !(data.get("object") instanceof JsonObject object)) {
      return new PaymentNotice.Irrelevant();
    }
    return switch (String.valueOf(event.get("type"))) {
      case "checkout.session.completed", "checkout.session.async_payment_succeeded" ->
          completed(object);
      case "payment_intent.payment_failed" -> declined(object);
      case "charge.refunded" ->
          ours(object, object.get("amount_refunded"))
              .<PaymentNotice>map(it -> new PaymentNotice.Refunded(it.order(), it.payment()))
              .orElseGet(PaymentNotice.Irrelevant::new);
      case "charge.dispute.created",
          "charge.dispute.updated",
          "charge.dispute.funds_withdrawn",
          "charge.dispute.funds_reinstated",
          "charge.dispute.closed" ->
          disputed(object);
      default -> new PaymentNotice.Irrelevant();
    };
  }

  /// A session of another shop on the same account has no reference of ours, or one of an order
  /// without tries here.
  private PaymentNotice completed(JsonObject session) {
    Payment payment = payment(session).orElse(null);
    if (payment == null
        || !(session.get("id") instanceof String id)
        || !(session.get("client_reference_id") instanceof String order)) {
      return new PaymentNotice.Irrelevant();
    }
    if (!OrderId.isValid(order) || checkouts.attempts(new OrderId(order)).isEmpty()) {
      return new PaymentNotice.Unasked(order, payment);
    }
    checkouts.paid(id, payment, null);
    return new PaymentNotice.Paid(order, payment);
  }

  /// A payment of this server, as a charge or a dispute names it.
  private record Ours(String order, Payment payment) {}

  /// @param object a charge or a dispute
  /// @param units an amount in Stripe's units
  private Optional<Ours> ours(JsonObject object, @Nullable Object units) {
    if (!(object.get("payment_intent") instanceof String intent)
        || !(units instanceof Long amount)
        || amount < 0
        || amount > Payment.MOST_MINOR_UNITS
        || !(object.get("currency") instanceof String currency)
        || !currency.matches("[a-z]{3}")) {
      return Optional.empty();
    }
    Payment payment = new Payment(intent, StripeAmount.parse(amount, currency));
    return checkouts.byPayment(intent).map(attempt -> new Ours(attempt.order().value(), payment));
  }

  private PaymentNotice disputed(JsonObject dispute) {
    Ours ours = ours(dispute, dispute.get("amount")).orElse(null);
    if (ours == null || !(dispute.get("id") instanceof String id) || !Payment.isValidId(id)) {
      return new PaymentNotice.Irrelevant();
    }
    Dispute.State state =
        switch (String.valueOf(dispute.get("status"))) {
          case "won", "warning_closed", "prevented" -> Dispute.State.WON;
          case "lost" -> Dispute.State.LOST;
          default -> Dispute.State.OPEN;
        };
    String reason = String.valueOf(dispute.get("reason"));
    return new PaymentNotice.Disputed(ours.order(), id, ours.payment(), state, reason);
  }

  private PaymentNotice declined(JsonObject intent) {
    if (!(intent.get("metadata") instanceof JsonObject metadata)
        || !(metadata.get("order_id") instanceof String order)
        || !OrderId.isValid(order)) {
      return new PaymentNotice.Irrelevant();
    }
    String reason =
        intent.get("last_payment_error") instanceof JsonObject error
            ? String.valueOf(
                error.has("decline_code") ? error.get("decline_code") : error.get("code"))
            : "no reason given";
    List<Attempt> attempts = checkouts.attempts(new OrderId(order));
    if (attempts.isEmpty()) {
      return new PaymentNotice.Irrelevant();
    }
    if (attempts.getLast().reference() != null) {
      checkouts.declined(attempts.getLast().reference(), "declined: " + reason);
    }
    return new PaymentNotice.Declined(order);
  }

  @Override
  public String acknowledgement() {
    return "";
  }

  @Override
  public String probe() throws ProviderHttp.NoAnswer {
    ProviderHttp.Answer answer = http.send(get("/v1/balance"));
    if (!answer.isSuccess()) {
      throw new ProviderHttp.NoAnswer("status " + answer.status() + ": " + error(answer));
    }
    return Boolean.TRUE.equals(answer.json().get("livemode")) ? "live mode" : "test mode";
  }

  /// Whether nothing happened and a repeat would get the same reply.
  private static boolean isRefusal(ProviderHttp.Answer answer) {
    return answer.status() == BAD_REQUEST
        || answer.status() == PAYMENT_REQUIRED
        || answer.status() == NOT_FOUND;
  }

  private static String error(ProviderHttp.Answer answer) throws ProviderHttp.NoAnswer {
    if (answer.status() == UNAUTHORIZED) {
      return "Stripe does not accept payment.stripe_key";
    }
    return answer.json().get("error") instanceof JsonObject error
        ? String.valueOf(error.has("code") ? error.get("code") : error.get("message"))
        : "status " + answer.status();
  }

  private HttpRequest.Builder get(String path) {
    return request(path).GET();
  }

  private HttpRequest.Builder post(String path, String form) {
    return request(path)
        .header("content-type", "application/x-www-form-urlencoded")
        .POST(HttpRequest.BodyPublishers.ofString(form));
  }

  private HttpRequest.Builder request(String path) {
    return http.request(account.apiUrl() + path)
        .header("authorization", "Bearer " + account.secret())
        .header("stripe-version", VERSION);
  }
}
