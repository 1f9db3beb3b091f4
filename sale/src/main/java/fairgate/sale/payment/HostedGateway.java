package fairgate.sale.payment;

import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.platform.text.Language;
import fairgate.sale.AmountProblem;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A provider that makes a payment page for each try to pay. Its calls block up to the time limit.
interface HostedGateway {
  String name();

  /// The reason why the provider cannot take this amount; empty when it can.
  Optional<AmountProblem> problem(Money amount);

  /// The request that opens the page of a try. It is stored and sent unchanged at each repeat.
  String prepare(Purchase purchase, int attempt);

  /// The try's name when we choose it; null when the provider does.
  @Nullable String reference(OrderId order, int attempt);

  /// Opens the page of a try. A repeat opens the same page.
  Page open(Attempt attempt);

  State look(Attempt attempt);

  /// Takes the money of an authorised try.
  State capture(Attempt attempt);

  /// Ends a try: unless it is paid, no payment can come from it afterwards, as far as the provider
  /// supports it.
  State end(Attempt attempt);

  /// Refunds a payment, once per key.
  ///
  /// @param attempt the try that the payment came from; null when it is not known
  PaymentProvider.RefundOutcome refund(@Nullable Attempt attempt, Payment payment, String key);

  PaymentNotice read(PaymentNotice.Message message);

  /// The body by which the provider knows that its message was accepted; empty when any 2xx does.
  String acknowledgement();

  /// Makes a call that changes nothing and returns what it shows. Throws when the provider does not
  /// answer or does not accept the account.
  String probe() throws ProviderHttp.NoAnswer;

  /// The order that is paid.
  ///
  /// @param product the name on the payment page
  /// @param baseUrl the address of this server as buyers see it, without a slash at its end
  record Purchase(Order order, String product, String baseUrl, Language language) {
    String returnUrl() {
      return baseUrl + "/pay/" + order.id().value() + "/return";
    }
  }

  /// A try to pay.
  ///
  /// @param request see `prepare`
  /// @param reference the name of the try at the provider; null until it is known
  /// @param url the payment page; null until it is known, or when it is reached by a form
  /// @param detail what the provider needs for refunds besides the payment's id
  /// @param ended whether no payment can come from it any more
  record Attempt(
      OrderId order,
      int number,
      String request,
      Money amount,
      @Nullable String reference,
      @Nullable String url,
      @Nullable String detail,
      boolean ended) {}

  /// The outcome of `open`.
  sealed interface Page {
    record Redirect(String reference, String url) implements Page {}

    record Form(String url, Map<String, String> fields) implements Page {}

    /// The provider refuses to open a page for this order, for good.
    record Refused(String reason) implements Page {}

    /// Unknown; to be repeated.
    record Unknown(String reason) implements Page {}
  }

  sealed interface State {
    /// The provider does not know the try yet.
    record Absent() implements State {}

    record Open() implements State {}

    /// The buyer has agreed; the money moves with `capture`.
    record Authorised() implements State {}

    /// It is paid.
    ///
    /// @param detail see [Attempt]
    record Paid(Payment payment, @Nullable String detail) implements State {}

    /// It is not paid and cannot be paid any more.
    ///
    /// @param declined whether a payment was refused; else it was cancelled or has expired
    record Ended(boolean declined, String reason) implements State {}

    /// Unknown; to be repeated.
    record Unknown(String reason) implements State {}
  }
}
