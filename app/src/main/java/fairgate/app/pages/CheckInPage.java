package fairgate.app.pages;

import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.kernel.ProductId;
import fairgate.kernel.Role;
import fairgate.operator.access.AccessFeature;
import fairgate.operator.access.OperatorCredentials;
import fairgate.platform.admin.Operator;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.page.Assets;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Templates;
import fairgate.platform.page.Visit;
import fairgate.ticket.TicketService;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// `/console/check-in`, the sales with tickets, and `/console/check-in/{id}`, where people at an
/// entrance scan tickets with a telephone. A service worker keeps the second page, so that it opens
/// without a connection; its module verifies signatures itself while the server cannot be reached.
public final class CheckInPage {
  static final String PATH = "/console/check-in";

  private final OperatorCredentials credentials;
  private final TicketService tickets;
  private final Catalog catalog;
  private final PageSettings settings;
  private final Clock clock;
  private final String assets = new Assets().base();

  public CheckInPage(
      AccessFeature access,
      TicketService tickets,
      Catalog catalog,
      PageSettings settings,
      Clock clock) {
    this.credentials = access.credentials();
    this.tickets = tickets;
    this.catalog = catalog;
    this.settings = settings;
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(
        Route.blockingGet(PATH, this::list).limits(PAGE),
        Route.blockingGet(PATH + "/{id}", this::scan).limits(PAGE),
        Route.blockingGet(PATH + "/worker.js", this::worker).limits(PAGE));
  }

  /// A sale with tickets.
  ///
  /// @param facts venue and time; empty for none
  record Sale(String id, String name, String facts) {
    static final Sale NONE = new Sale("", "", "");
  }

  /// The redirect of visitors who are not signed in, and of operators who may not check in; empty
  /// for all others.
  private Optional<Reply> elsewhere(Request request) {
    Operator operator = credentials.bySession(request).orElse(null);
    if (operator == null) {
      return Optional.of(OperatorPages.signInFor(request));
    }
    boolean mayCheckIn =
        List.of(Role.CHECKIN, Role.SUPPORT, Role.SELLER).stream()
            .anyMatch(operator.role()::includes);
    return mayCheckIn ? Optional.empty() : Optional.of(Reply.redirect(303, ConsolePage.PATH));
  }

  private Reply list(Request request) {
    return elsewhere(request).orElseGet(() -> allSales(request));
  }

  private Reply allSales(Request request) {
    Visit visit = Visit.of(request, settings, clock.instant()).ofConsole();
    List<Sale> sales =
        catalog.all().stream()
            .filter(product -> tickets.isOffered(product.id()))
            .sorted(Comparator.comparing(CheckInPage::starts).reversed())
            .map(product -> sale(visit, product))
            .toList();
    return reply(visit, Sale.NONE, sales, JsonText.object());
  }

  private Reply scan(Request request) {
    return elsewhere(request).orElseGet(() -> scanner(request));
  }

  private Reply scanner(Request request) {
    Product product = product(request).orElse(null);
    if (product == null) {
      return Reply.redirect(303, PATH);
    }
    Visit visit = Visit.of(request, settings, clock.instant()).ofConsole();
    JsonText texts = JsonText.object();
    for (String key : visit.words().keys()) {
      if (key.startsWith("checkin.") || key.equals("error.network")) {
        texts.put(key, visit.words().text(key));
      }
    }
    JsonText data =
        JsonText.object()
            .put("assets", assets)
            .put("product", product.id().value())
            .put("text", texts);
    return reply(visit, sale(visit, product), List.of(), data);
  }

  private Reply reply(Visit visit, Sale sale, List<Sale> sales, JsonText data) {
    // "<" is escaped because the data is in a script element.
    String json = data.toString().replace("<", "\\u003c");
    String page =
        Templates.render(
            out ->
                JtecheckInGenerated.render(
                    out,
                    null,
                    visit.wording(),
                    assets,
                    PageFrame.here(visit.request()),
                    sale,
                    sales,
                    json));
    Reply reply =
        Reply.html(200, page)
            .header("content-security-policy", settings.policy())
            .header("permissions-policy", "camera=(self)")
            .header("content-language", visit.language().tag())
            .header("cache-control", "no-store");
    return visit.languageChosen() ? PageFrame.remember(reply, visit.language()) : reply;
  }

  /// The worker stands here, not among the assets, because its folder is what it may serve.
  private Reply worker(Request request) {
    return Reply.bytes(200, "text/javascript; charset=utf-8", workerScript())
        .header("cache-control", "no-cache");
  }

  private static byte[] workerScript() {
    try (InputStream in =
        CheckInPage.class.getResourceAsStream("/web/assets/console-check-in-worker.js")) {
      return Objects.requireNonNull(in, "console-check-in-worker.js").readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Optional<Product> product(Request request) {
    return Optional.of(request.pathParam("id"))
        .filter(ProductId::isValid)
        .map(ProductId::new)
        .filter(tickets::isOffered)
        .flatMap(catalog::find);
  }

  private static Instant starts(Product product) {
    Instant starts = product.content().startsAt();
    return starts == null ? Instant.EPOCH : starts;
  }

  private static Sale sale(Visit visit, Product product) {
    Instant starts = product.content().startsAt();
    String when = starts == null ? "" : visit.wording().time(starts);
    String venue = product.content().venue();
    String facts = when.isEmpty() || venue.isEmpty() ? when + venue : when + " · " + venue;
    String name = product.content().name(visit.language(), product.details().name());
    return new Sale(product.id().value(), name, facts);
  }
}
