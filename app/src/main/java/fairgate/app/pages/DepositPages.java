package fairgate.app.pages;

import static fairgate.platform.http.RouteLimits.PAGE;

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
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Visit;
import fairgate.platform.page.Wording;
import fairgate.sale.deposit.Deposit;
import fairgate.sale.deposit.Deposit.State;
import fairgate.sale.deposit.DepositFeature;
import fairgate.sale.deposit.DepositService;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// `/p/{id}/deposit`: the terms of a sale's deposit, the way to its payment page, and the way back
/// to the sale. Plain pages and forms without JavaScript.
public record DepositPages(
    ShopPages shop, DepositFeature deposits, Catalog catalog, PageSettings settings, Clock clock) {
  /// A deposit that the visitor has, or that the sale asks for.
  ///
  /// @param state null for one that the visitor does not have yet
  /// @param isFree whether it is paid, and no place and no entry of a draw has it
  private record Terms(
      Money amount, SalePolicy.DepositEnd passed, @Nullable State state, boolean isFree) {
    private static Terms of(Deposit own, boolean isFree) {
      return new Terms(own.amount(), own.passed(), own.state(), isFree);
    }

    private boolean isPaid() {
      return state == State.PAID;
    }

    private boolean isOver() {
      return state != null && state != State.PENDING && state != State.PAID;
    }

    /// What becomes of it, at the price as it is now.
    private String text(Money price, Wording w) {
      boolean counts =
          amount.currency().equals(price.currency()) && amount.minorUnits() <= price.minorUnits();
      String whole = w.money(amount.minorUnits(), amount.currency());
      return w.sentences(
          counts ? w.text("deposit.more") : w.words().text("deposit.own.aside", "amount", whole),
          w.text(SaleWording.onPass(passed.word(), counts)));
    }
  }

  /// What the template shows.
  ///
  /// @param terms what becomes of it; empty for one that has ended
  /// @param isPaid whether the visitor can join with it, or has joined
  /// @param isPending whether the visitor has opened it and not paid it
  /// @param isFree whether the visitor can get it back
  /// @param isByDraw whether it stands for an entry of a draw
  /// @param notice how the last deposit has ended; empty for none
  /// @param problem why the last action was refused, or why the visitor cannot join
  record Shown(
      String id,
      String product,
      String amount,
      String terms,
      boolean isPaid,
      boolean isPending,
      boolean isFree,
      boolean isByDraw,
      String notice,
      SaleView.Problem problem) {
    boolean canJoin() {
      return problem.text().isEmpty();
    }
  }

  public List<Route> routes() {
    return List.of(
        Route.blockingGet("/p/{id}/deposit", request -> show(request, 200, SaleView.Problem.NONE))
            .limits(PAGE),
        Route.blockingPost("/p/{id}/deposit", this::pay).doing(Method.POST, "/api/deposits"),
        Route.blockingPost("/p/{id}/deposit/back", this::giveBack)
            .doing(Method.DELETE, "/api/deposits/{deposit_id}"));
  }

  /// Where a buyer goes on after the payment page: a deposit leads to its sale.
  static String after(OrderId paid) {
    return "/p/" + paid.product().value() + (paid.isDeposit() ? "/deposit" : "");
  }

  private static String page(Product product) {
    return "/p/" + product.id().value() + "/deposit";
  }

  private Reply show(Request request, int status, SaleView.Problem problem) {
    Product product = sale(request).orElse(null);
    if (product == null) {
      return shop.refusals().draw(request, 404, Refusal.of(ErrorCode.NOT_FOUND), _ -> "");
    }
    Terms terms = terms(request, product).orElse(null);
    SaleView.Problem standing =
        problem.text().isEmpty() && terms != null && (!terms.isPaid() || terms.isFree())
            ? deposits
                .standings()
                .refusal(request, product.id())
                .await()
                .map(refusal -> problem(request, product, refusal))
                .orElse(SaleView.Problem.NONE)
            : problem;
    Deposit over =
        terms != null && terms.isPaid()
            ? null
            : deposits
                .standings()
                .newestOf(request, product.id())
                .await()
                .filter(it -> it.state() == State.RETURNED || it.state() == State.KEPT)
                .orElse(null);
    boolean isOffered = terms != null && (terms.isPaid() || standing.text().isEmpty());
    if (over != null && !isOffered) {
      return showEnd(request, product, status, over, standing);
    }
    return terms == null
        ? shop.refusals().draw(request, 404, Refusal.of(ErrorCode.NOT_FOUND), _ -> "")
        : show(request, product, status, terms, over == null ? "" : end(request, over), standing);
  }

  /// How a deposit has ended, and nothing of another one.
  private Reply showEnd(
      Request request, Product product, int status, Deposit over, SaleView.Problem problem) {
    String notice = end(request, over);
    return show(request, product, status, Terms.of(over, false), notice, problem);
  }

  private String end(Request request, Deposit over) {
    Wording w = Visit.of(request, settings, clock.instant()).wording();
    Money amount = over.amount();
    String money = w.money(amount.minorUnits(), amount.currency());
    String end = over.state() == State.KEPT ? "kept" : "returned";
    return w.words().text("deposit.own." + end, "amount", money);
  }

  /// The visitor's open deposit, else the one that the sale asks for.
  private Optional<Terms> terms(Request request, Product product) {
    Deposit own = deposits.openOf(request, product.id()).orElse(null);
    if (own != null) {
      return Optional.of(Terms.of(own, deposits.standings().isFree(own).await()));
    }
    return Optional.ofNullable(product.policy().payment().deposit())
        .map(rule -> new Terms(rule.of(product.details().price()), rule.passed(), null, false));
  }

  private Reply show(
      Request request,
      Product product,
      int status,
      Terms terms,
      String notice,
      SaleView.Problem problem) {
    Visit visit = Visit.of(request, settings, clock.instant());
    Wording w = visit.wording();
    Money amount = terms.amount();
    Shown shown =
        new Shown(
            product.id().value(),
            product.content().name(visit.language(), product.details().name()),
            w.money(amount.minorUnits(), amount.currency()),
            terms.isOver() ? "" : terms.text(product.details().price(), w),
            terms.isPaid(),
            terms.state() == State.PENDING,
            terms.isFree(),
            product.isByDraw(),
            notice,
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
        yield Reply.redirect(303, url == null ? page(product) : url);
      }
      case DepositService.Outcome.Refused(Refusal refusal) -> refused(request, product, refusal);
    };
  }

  private Reply giveBack(Request request) {
    Product product = sale(request).orElse(null);
    if (product == null) {
      return shop.refusals().draw(request, 404, Refusal.of(ErrorCode.NOT_FOUND), _ -> "");
    }
    if (SameOrigin.of(request) != SameOrigin.OWN) {
      return refused(request, product, Refusal.of(ErrorCode.FORBIDDEN));
    }
    Deposit own = deposits.openOf(request, product.id()).orElse(null);
    if (own == null) {
      return Reply.redirect(303, page(product));
    }
    return switch (deposits.service().giveBack(own.id(), List.of(own.owner()))) {
      case DepositService.Outcome.Open(Deposit over) ->
          showEnd(request, product, 200, over, SaleView.Problem.NONE);
      case DepositService.Outcome.Refused(Refusal refusal) -> refused(request, product, refusal);
    };
  }

  private Reply refused(Request request, Product product, Refusal refusal) {
    if (refusal.details().get("room_url") instanceof String room) {
      return Reply.redirect(303, room);
    }
    int status = Reply.refuse(refusal).status();
    return show(request, status, problem(request, product, refusal));
  }

  private SaleView.Problem problem(Request request, Product product, Refusal refusal) {
    Visit visit = Visit.of(request, settings, clock.instant());
    Wording w = visit.wording();
    boolean hasEntered = refusal.code() == ErrorCode.DRAW_STATE_CONFLICT;
    if (hasEntered || refusal.code() == ErrorCode.SALE_BY_DRAW) {
      String text = w.text(hasEntered ? "deposit.draw.once" : "deposit.draw");
      String draw = "/p/" + product.id().value() + "/draw";
      return new SaleView.Problem(text, List.of(), draw, w.text("join.draw"));
    }
    if (refusal.code() == ErrorCode.INSUFFICIENT_STOCK) {
      return new SaleView.Problem(w.text("sold.gone"), List.of(), "", "");
    }
    return AccountHelp.of(product.id(), refusal, page(product))
        .map(
            help ->
                new SaleView.Problem(
                    w.text(help.text()), List.of(), help.href(), w.text(help.label())))
        .orElseGet(
            () ->
                ShopPages.decision(
                    visit, request.decided(refusal), ShopPages.text(visit, refusal)));
  }
}
