package fairgate.app.pages;

import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.ErrorPage;
import fairgate.platform.http.FormBody;
import fairgate.platform.http.Method;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SameOrigin;
import fairgate.platform.http.SessionOf;
import fairgate.platform.page.Assets;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Visit;
import fairgate.platform.text.Messages;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The visitor's pages: `/`, `/p/{id}`, `/pay/{order}` with the sandbox provider, their assets, and
/// the forms that replace the API in a browser without JavaScript.
public final class ShopPages {
  private static final Map<String, Integer> QUANTITIES =
      Map.of("1", 1, "2", 2, "3", 3, "4", 4, "5", 5, "6", 6, "7", 7, "8", 8, "9", 9, "10", 10);

  private static final Set<String> RESULTS = Set.of("paid", "failed", "silent");

  private final PageSources sources;
  private final FormActions actions;
  private final PageSettings settings;
  private final Clock clock;
  private final Assets assets = new Assets();
  private final PageFrame frame;
  private final SalePage pages;
  private final SaleViewLoader views;
  private final RefusalPage refusals;

  public ShopPages(PageSources sources, FormActions actions, PageSettings settings, Clock clock) {
    this.sources = sources;
    this.actions = actions;
    this.views = new SaleViewLoader(sources);
    this.settings = settings;
    this.clock = clock;
    assets.addStyle("brand.css", settings.brand().css());
    this.frame = new PageFrame(settings, assets.base());
    this.refusals = new RefusalPage(frame, settings, clock);
    this.pages = new SalePage(frame, new NoScriptPanel(settings, actions), sources.content());
  }

  /// The path prefix of every asset.
  String assetBase() {
    return assets.base();
  }

  PageFrame frame() {
    return frame;
  }

  /// The page of refusals, for all routes of the server.
  public ErrorPage refusals() {
    return refusals;
  }

  /// The same, for pages that say what happened.
  RefusalPage notices() {
    return refusals;
  }

  public List<Route> routes() {
    List<Route> routes = new ArrayList<>(assets.routes());
    routes.add(Route.get("/", this::list).limits(PAGE));
    routes.add(Route.get("/p/{id}", this::sale).limits(PAGE));
    routes.add(Route.post("/p/{id}/join", this::join).doing(Method.POST, "/api/queue/join"));
    routes.add(Route.post("/p/{id}/leave", this::leave).doing(Method.POST, "/api/queue/leave"));
    routes.add(Route.post("/p/{id}/buy", this::buy).doing(Method.POST, "/api/purchase"));
    if (settings.sandboxPayment()) {
      routes.add(Route.get("/pay/{id}", this::sandbox).limits(PAGE));
      routes.add(
          Route.post("/pay/{id}", this::pay).doing(Method.POST, "/api/orders/{order_id}/pay"));
    }
    return List.copyOf(routes);
  }

  private Future<Reply> list(Request request) {
    Visit visit = visit(request);
    return views
        .place(visit)
        .compose(
            place ->
                sources
                    .products()
                    .all()
                    .map(all -> pages.list(visit, all.stream().map(Fields::of).toList(), place))
                    .map(Reply::compressible));
  }

  private Future<Reply> sale(Request request) {
    return show(request, Optional.empty());
  }

  private Future<Reply> join(Request request) {
    return act(request, product -> actions.join(request, product));
  }

  private Future<Reply> leave(Request request) {
    return act(request, product -> withPlace(request, session -> actions.leave(request, session)));
  }

  private Future<Reply> buy(Request request) {
    int quantity = FormBody.field(request, "quantity").map(QUANTITIES::get).orElse(0);
    if (quantity == 0) {
      return act(request, product -> Future.succeededFuture(refused(ErrorCode.INVALID_REQUEST)));
    }
    return act(
        request,
        product ->
            withPlace(
                request,
                session -> {
                  String key = "form-" + session.value() + "-" + quantity;
                  Long expected = unitPrice(request).map(price -> price * quantity).orElse(null);
                  String turn = FormBody.field(request, "turn").orElse("");
                  return actions.buy(
                      request,
                      new FormActions.Purchase(product, session, quantity, expected, key, turn));
                }));
  }

  private static Optional<Long> unitPrice(Request request) {
    return FormBody.field(request, "unit_price")
        .filter(text -> text.matches("[0-9]{1,15}"))
        .map(Long::parseLong);
  }

  private interface Act {
    Future<FormActions.Outcome> on(ProductId product);
  }

  private interface PlaceAct {
    Future<FormActions.Outcome> on(SessionId session);
  }

  /// Runs a form's action and redirects the visitor to the sale, or shows the refusal.
  private Future<Reply> act(Request request, Act act) {
    Optional<ProductId> product = product(request);
    if (product.isEmpty()) {
      return Future.succeededFuture(missing(request));
    }
    if (SameOrigin.of(request) != SameOrigin.OWN) {
      return show(request, Optional.of(Refusal.of(ErrorCode.FORBIDDEN)));
    }
    return act.on(product.get())
        .compose(
            outcome ->
                switch (outcome) {
                  case FormActions.Outcome.Done _ -> back(product.get());
                  case FormActions.Outcome.Joined placed ->
                      back(product.get())
                          .map(
                              reply ->
                                  SessionOf.remember(
                                      reply, request, placed.session(), placed.life()));
                  case FormActions.Outcome.Refused(Refusal refusal)
                      when refusal.details().get("room_url") instanceof String room ->
                      Future.succeededFuture(Reply.redirect(303, room));
                  case FormActions.Outcome.Refused(Refusal refusal)
                      when refusal.details().get("step_url") instanceof String step ->
                      Future.succeededFuture(Reply.redirect(303, step));
                  case FormActions.Outcome.Refused refused ->
                      show(request, Optional.of(request.decided(refused.refusal())));
                });
  }

  private static Future<Reply> back(ProductId product) {
    return Future.succeededFuture(Reply.redirect(303, "/p/" + product.value()));
  }

  /// Extends the cookie's lifetime to that of the session when the visitor opens the page of a
  /// place.
  private static Reply keep(Request request, Visit visit, SaleView view, Reply page) {
    Fields place = view.place().orElse(null);
    SessionId session = visit.session().orElse(null);
    if (place == null || session == null) {
      return page;
    }
    long left = place.number("session_expires_at", 0) - place.number("server_time", 0);
    return left > 0 ? SessionOf.keep(page, request, session, Duration.ofMillis(left)) : page;
  }

  private Future<FormActions.Outcome> withPlace(Request request, PlaceAct act) {
    return visit(request)
        .session()
        .map(act::on)
        .orElseGet(() -> Future.succeededFuture(refused(ErrorCode.SESSION_NOT_FOUND)));
  }

  private static FormActions.Outcome refused(ErrorCode code) {
    return new FormActions.Outcome.Refused(Refusal.of(code));
  }

  /// The sale's page in this visitor's state.
  private Future<Reply> show(Request request, Optional<Refusal> refusal) {
    Visit visit = visit(request);
    return product(request)
        .map(id -> views.of(request, visit, id, problem(visit, id, refusal)))
        .orElseGet(() -> Future.succeededFuture(Optional.empty()))
        .map(
            view ->
                view.map(
                        found ->
                            keep(
                                request,
                                visit,
                                found,
                                pages.sale(
                                    visit,
                                    status(refusal),
                                    found,
                                    sources.rules().find(visit.language()),
                                    product(request)
                                        .flatMap(id -> sources.room().find(id, request)))))
                    .orElseGet(() -> missing(request)));
  }

  private Future<Reply> sandbox(Request request) {
    return settle(request, Optional.empty());
  }

  private Future<Reply> pay(Request request) {
    String result = FormBody.field(request, "result").orElse("");
    Optional<OrderId> order = order(request);
    if (order.isEmpty()) {
      return Future.succeededFuture(missing(request));
    }
    if (SameOrigin.of(request) != SameOrigin.OWN) {
      return settle(request, Optional.of(Refusal.of(ErrorCode.FORBIDDEN)));
    }
    if (!RESULTS.contains(result)) {
      return settle(request, Optional.of(Refusal.of(ErrorCode.INVALID_REQUEST)));
    }
    return actions
        .pay(request, order.get(), result)
        .compose(
            outcome ->
                outcome instanceof FormActions.Outcome.Refused refused
                    ? settle(request, Optional.of(refused.refusal()))
                    : Future.succeededFuture(Reply.redirect(303, DepositPages.after(order.get()))));
  }

  /// The sandbox payment page of an order of this browser; a missing page for all other orders.
  private Future<Reply> settle(Request request, Optional<Refusal> refusal) {
    Visit visit = visit(request);
    Optional<OrderId> order = order(request);
    if (order.isEmpty()) {
      return Future.succeededFuture(missing(request));
    }
    ProductId product = order.get().product();
    return sources
        .product()
        .find(product)
        .compose(
            found ->
                sources
                    .order()
                    .find(request, order.get())
                    .map(
                        json -> {
                          if (found.isEmpty() || json.isEmpty()) {
                            return missing(request);
                          }
                          SaleView view =
                              new SaleView(
                                  Fields.of(found.get()),
                                  Optional.empty(),
                                  json.map(Fields::of),
                                  Optional.empty(),
                                  problem(visit, product, refusal));
                          return pages.sandbox(
                              visit, status(refusal), order.get(), view, Fields.of(json.get()));
                        }));
  }

  private Visit visit(Request request) {
    return Visit.of(request, settings, clock.instant());
  }

  private Reply missing(Request request) {
    return refusals.draw(request, 404, Refusal.of(ErrorCode.NOT_FOUND), _ -> "");
  }

  private static Optional<ProductId> product(Request request) {
    return Optional.of(request.pathParam("id")).filter(ProductId::isValid).map(ProductId::new);
  }

  private static Optional<OrderId> order(Request request) {
    return Optional.of(request.pathParam("id")).filter(OrderId::isValid).map(OrderId::new);
  }

  private static Optional<SaleView.Problem> problem(
      Visit visit, ProductId product, Optional<Refusal> refusal) {
    return refusal.map(
        why ->
            AccountHelp.of(product, why)
                .map(
                    help ->
                        new SaleView.Problem(
                            visit.wording().text(help.text()),
                            List.of(),
                            help.href(),
                            visit.wording().text(help.label())))
                .orElseGet(() -> decision(visit, why, text(visit, why))));
  }

  /// A refusal with the link to its appeal, if there is one.
  ///
  /// @param text in the visitor's language
  static SaleView.Problem decision(Visit visit, Refusal why, String text) {
    if (!(why.details().get("appeal_url") instanceof String appeal)) {
      return new SaleView.Problem(text, List.of(), "", "");
    }
    List<RefusalPage.Fact> facts = new ArrayList<>(RefusalPage.explanation(visit, why));
    if (why.details().get("decision_id") instanceof String id) {
      facts.add(RefusalPage.Fact.code(visit.wording().text("refused.decision"), id));
    }
    return new SaleView.Problem(text, facts, appeal, visit.wording().text("wait.appeal"));
  }

  /// The message of a refusal, with the time after which to try again.
  static String text(Visit visit, Refusal why) {
    String text = Messages.text(visit.language(), "error." + why.code().name());
    Duration wait = why.retryAfter();
    return wait == null
        ? text
        : visit
            .wording()
            .sentences(text, visit.words().text("error.retry", "time", visit.wording().span(wait)));
  }

  private static int status(Optional<Refusal> refusal) {
    return refusal.map(why -> Reply.refuse(why).status()).orElse(200);
  }
}
