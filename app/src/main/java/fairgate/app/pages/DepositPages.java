package fairgate.app.pages;

import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.catalog.SalePolicy;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Method;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SameOrigin;
import fairgate.platform.text.Messages;
import fairgate.sale.deposit.Deposit;
import fairgate.sale.deposit.DepositFeature;
import fairgate.sale.deposit.DepositService;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/// `/p/{id}/deposit`: the terms of a sale's deposit, the way to its payment page, and the way back
/// to the sale. Plain pages and forms without JavaScript.
public final class DepositPages {
  private final ShopPages shop;
  private final DepositFeature deposits;
  private final Catalog catalog;
  private final PageSettings settings;
  private final Clock clock;

  public DepositPages(
      ShopPages shop,
      DepositFeature deposits,
      Catalog catalog,
      PageSettings settings,
      Clock clock) {
    this.shop = shop;
    this.deposits = deposits;
    this.catalog = catalog;
    this.settings = settings;
    this.clock = clock;
  }

  /// What the template shows.
  ///
  /// @param terms what becomes of it
  /// @param isPaid whether the visitor can join with it, or has joined
  /// @param problem why the last action was refused
  record Shown(
      String id,
      String product,
      String amount,
      String terms,
      boolean isPaid,
      SaleView.Problem problem) {}

  public List<Route> routes() {
    return List.of(
        Route.blockingGet("/p/{id}/deposit", request -> show(request, 200, SaleView.Problem.NONE)),
        Route.blockingPost("/p/{id}/deposit", this::pay).doing(Method.POST, "/api/deposits"));
  }

  /// Where a buyer goes on after the payment page: a deposit leads to its sale.
  static String after(OrderId paid) {
    return "/p/" + paid.product().value() + (paid.isDeposit() ? "/deposit" : "");
  }

  private Reply show(Request request, int status, SaleView.Problem problem) {
    Product product = sale(request).orElse(null);
    if (product == null) {
      return shop.refusals().draw(request, 404, Refusal.of(ErrorCode.NOT_FOUND), _ -> "");
    }
    Deposit own = deposits.openOf(request, product.id()).orElse(null);
    SalePolicy.Deposit rule = product.policy().payment().deposit();
    if (own != null) {
      return show(request, product, status, own.amount(), own.passed(), isPaid(own), problem);
    }
    if (rule != null) {
      Money amount = rule.of(product.details().price());
      return show(request, product, status, amount, rule.passed(), false, problem);
    }
    return shop.refusals().draw(request, 404, Refusal.of(ErrorCode.NOT_FOUND), _ -> "");
  }

  private static boolean isPaid(Deposit deposit) {
    return deposit.state() == Deposit.State.PAID;
  }

  private Reply show(
      Request request,
      Product product,
      int status,
      Money amount,
      SalePolicy.DepositEnd passed,
      boolean isPaid,
      SaleView.Problem problem) {
    Visit visit = Visit.of(request, settings, clock.instant());
    Wording w = visit.wording();
    Shown shown =
        new Shown(
            product.id().value(),
            product.content().name(visit.language(), product.details().name()),
            w.money(amount.minorUnits(), amount.currency()),
            w.sentences(w.text("deposit.more"), w.text("deposit.passed." + passed.word())),
            isPaid,
            problem);
    return shop.frame()
        .reply(
            visit,
            status,
            PageFrame.Content.plain(
                w.text("deposit.title"), out -> JtedepositGenerated.render(out, null, w, shown)));
  }

  /// A sale whose policy has a deposit, or had one.
  private Optional<Product> sale(Request request) {
    return Optional.of(request.pathParam("id"))
        .filter(ProductId::isValid)
        .map(ProductId::new)
        .flatMap(catalog::find);
  }

  private Reply pay(Request request) {
    Product product = sale(request).orElse(null);
    if (product == null) {
      return shop.refusals().draw(request, 404, Refusal.of(ErrorCode.NOT_FOUND), _ -> "");
    }
    if (SameOrigin.of(request) != SameOrigin.OWN) {
      return refused(request, product, Refusal.of(ErrorCode.FORBIDDEN));
    }
    return switch (deposits.service().open(request, product.id())) {
      case DepositService.Outcome.Open(Deposit deposit) -> {
        String url = deposits.paymentUrl(deposit);
        yield Reply.redirect(303, url == null ? "/p/" + product.id().value() + "/deposit" : url);
      }
      case DepositService.Outcome.Refused(Refusal refusal) -> refused(request, product, refusal);
    };
  }

  private Reply refused(Request request, Product product, Refusal refusal) {
    Visit visit = Visit.of(request, settings, clock.instant());
    Wording w = visit.wording();
    SaleView.Problem problem =
        AccountHelp.of(product.id(), refusal)
            .map(
                help ->
                    new SaleView.Problem(
                        w.text(help.text()), List.of(), help.href(), w.text(help.label())))
            .orElseGet(
                () ->
                    ShopPages.decision(
                        visit,
                        request.decided(refusal),
                        Messages.text(visit.language(), "error." + refusal.code().name())));
    return show(request, Reply.refuse(refusal).status(), problem);
  }
}
