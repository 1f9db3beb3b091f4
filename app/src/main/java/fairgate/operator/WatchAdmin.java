package fairgate.operator;

import static fairgate.kernel.Role.SELLER;
import static fairgate.kernel.Role.VIEWER;
import static java.nio.charset.StandardCharsets.UTF_8;

import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.operator.access.AccessGuard;
import fairgate.operator.live.LiveFeature;
import fairgate.operator.live.SaleReport;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Language;
import fairgate.platform.text.SpreadsheetCsv;
import fairgate.queue.SaleNotices;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/// Watching a sale: the live stream, the notice to all who wait, and the report. Every method
/// blocks.
final class WatchAdmin {
  private static final Duration REPORT_DEADLINE = Duration.ofSeconds(30);

  /// The columns of the report as CSV.
  private static final int COLUMNS = 8;

  private final Catalog catalog;
  private final LiveFeature live;
  private final SaleNotices notices;
  private final AccessGuard access;
  private final Clock clock;

  WatchAdmin(
      Catalog catalog, LiveFeature live, SaleNotices notices, AccessGuard access, Clock clock) {
    this.catalog = catalog;
    this.live = live;
    this.notices = notices;
    this.access = access;
    this.clock = clock;
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        // A stream is not compressed, and its handler ends when the stream is open.
        Route.blockingGet(
                "/api/admin/products/{id}/live/stream",
                request -> {
                  AdminInput.NONE.check(request);
                  return withProduct(request, this::stream);
                })
            .roles(VIEWER),
        Route.blockingGet(
                "/api/admin/products/{id}/notice",
                admin.guard(request -> withProduct(request, (_, product) -> notice(product.id()))))
            .roles(VIEWER),
        Route.blockingPut(
                "/api/admin/products/{id}/notice",
                admin.guard(
                    AdminInput.body("texts"), request -> withProduct(request, this::putNotice)))
            .roles(SELLER),
        Route.blockingGet(
                "/api/admin/products/{id}/report",
                admin.guard(request -> withProduct(request, (_, product) -> report(product))))
            .roles(VIEWER)
            .withDeadline(REPORT_DEADLINE),
        Route.blockingGet(
                "/api/admin/products/{id}/report.csv",
                admin.guard(request -> withProduct(request, (_, product) -> csv(product))))
            .roles(VIEWER)
            .withDeadline(REPORT_DEADLINE));
  }

  private Reply withProduct(Request request, BiFunction<Request, Product, Reply> handler) {
    String id = request.pathParam("id");
    if (!ProductId.isValid(id)) {
      throw new InvalidRequest("id", "not_digits", 1, 19);
    }
    Optional<Product> product = catalog.findOrReload(new ProductId(id));
    return product.isEmpty()
        ? Reply.refuse(Refusal.of(ErrorCode.PRODUCT_NOT_FOUND))
        : handler.apply(request, product.get());
  }

  private Reply stream(Request request, Product product) {
    if (!live.feed().reserve()) {
      return Reply.refuse(
          Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(Duration.ofSeconds(10)));
    }
    return Reply.events(
            stream -> live.feed().open(product.id(), () -> access.isOperator(request), stream))
        // nginx would hold the events back.
        .header("x-accel-buffering", "no");
  }

  private Reply notice(ProductId product) {
    JsonText texts = JsonText.object();
    notices.of(product).forEach((language, text) -> texts.put(language.tag(), text));
    return Reply.json(
        200, JsonText.object().put("product_id", product.value()).put("texts", texts).bytes());
  }

  private Reply putNotice(Request request, Product product) {
    JsonBody texts = request.json().object("texts");
    Map<Language, String> wanted = new EnumMap<>(Language.class);
    for (String name : texts.names()) {
      Language language = language(texts, name);
      String text = texts.text(name, 0, SaleNotices.MAX_LENGTH).strip();
      if (!text.isEmpty()) {
        wanted.put(language, text);
      }
    }
    notices.put(product.id(), wanted);
    return notice(product.id());
  }

  private static Language language(JsonBody texts, String tag) {
    for (Language language : Language.values()) {
      if (language.tag().equals(tag)) {
        return language;
      }
    }
    throw texts.problem(tag, "not_one_of", "en, zh-Hant, zh-Hans");
  }

  private Reply report(Product product) {
    SaleReport report = live.report(product.id());
    JsonText minutes = JsonText.array();
    for (SaleReport.Minute minute : report.minutes()) {
      minutes.add(
          JsonText.object()
              .put("at", minute.at().toString())
              .put("joined", minute.joined())
              .put("admitted", minute.admitted())
              .put("waiting", minute.waiting())
              .putAny("wait_seconds", minute.waitSeconds()));
    }
    JsonText refusals = JsonText.array();
    for (SaleReport.Refusals each : report.refusals()) {
      refusals.add(JsonText.object().put("reason", each.reason()).put("refused", each.count()));
    }
    JsonText incidents = JsonText.array();
    for (SaleReport.Incident each : report.incidents()) {
      incidents.add(
          JsonText.object()
              .put("at", each.at().toString())
              .put("until", text(each.until()))
              .put("what", each.what())
              .put("operator", each.operator()));
    }
    return Reply.json(
        200,
        JsonText.object()
            .put("product_id", product.id().value())
            .put("name", product.details().name())
            .put("currency", product.details().price().currency())
            .put("currency_exponent", product.details().price().exponent())
            .put("state", product.stateAt(clock.instant()).word())
            .put("total_stock", product.details().totalStock())
            .put("orders", orders(report))
            .put("refunds", refunds(report))
            .put("minutes", minutes)
            .put("refusals", refusals)
            .put(
                "shares",
                JsonText.object()
                    .put("devices", shares(report.devices()))
                    .put("buyers", shares(report.buyers()))
                    .put("networks", shares(report.networks())))
            .put("incidents", incidents)
            .bytes());
  }

  private static JsonText orders(SaleReport report) {
    JsonText json = JsonText.object();
    report
        .orders()
        .forEach(
            (status, orders) ->
                json.put(
                    status,
                    JsonText.object()
                        .put("orders", orders.count())
                        .put("units", orders.units())
                        .put("amount", orders.amount())));
    return json;
  }

  private static JsonText refunds(SaleReport report) {
    JsonText json = JsonText.object();
    report
        .refunds()
        .forEach(
            (state, refunds) ->
                json.put(
                    state,
                    JsonText.object()
                        .put("refunds", refunds.count())
                        .put("amount", refunds.amount())));
    return json;
  }

  private static JsonText shares(SaleReport.Shares shares) {
    return JsonText.object()
        .put("holders", shares.holders())
        .put("units", shares.units())
        .put("most", shares.most())
        .put("top_ten", shares.topTen());
  }

  /// One table for all parts, because a spreadsheet opens one.
  private Reply csv(Product product) {
    SaleReport report = live.report(product.id());
    List<List<@Nullable String>> rows = new ArrayList<>();
    rows.add(row("part", "name", "at", "count", "units", "amount", "seconds", "operator"));
    report
        .orders()
        .forEach(
            (status, it) ->
                rows.add(row("orders", status, null, it.count(), it.units(), it.amount())));
    report
        .refunds()
        .forEach(
            (state, it) -> rows.add(row("refunds", state, null, it.count(), null, it.amount())));
    for (SaleReport.Minute it : report.minutes()) {
      rows.add(row("minute", "joined", it.at(), it.joined(), null, null, it.waitSeconds()));
      rows.add(row("minute", "admitted", it.at(), it.admitted()));
      rows.add(row("minute", "waiting", it.at(), it.waiting()));
    }
    report.refusals().forEach(it -> rows.add(row("refused", it.reason(), null, it.count())));
    share(rows, "device", report.devices());
    share(rows, "buyer", report.buyers());
    share(rows, "network", report.networks());
    for (SaleReport.Incident it : report.incidents()) {
      Instant until = it.until();
      Long seconds = until == null ? null : Duration.between(it.at(), until).toSeconds();
      rows.add(row("incident", it.what(), it.at(), null, null, null, seconds, it.operator()));
    }
    return Reply.bytes(200, "text/csv; charset=utf-8", SpreadsheetCsv.text(rows).getBytes(UTF_8))
        .header(
            "content-disposition",
            "attachment; filename=\"sale-" + product.id().value() + ".csv\"");
  }

  private static void share(
      List<List<@Nullable String>> rows, String holder, SaleReport.Shares shares) {
    rows.add(row("share", holder, null, shares.holders(), shares.units()));
    rows.add(row("share", holder + " with the most", null, null, shares.most()));
    rows.add(row("share", holder + " top ten", null, null, shares.topTen()));
  }

  private static List<@Nullable String> row(@Nullable Object... cells) {
    List<@Nullable String> row = new ArrayList<>();
    for (int i = 0; i < COLUMNS; i++) {
      row.add(i < cells.length ? text(cells[i]) : null);
    }
    return row;
  }

  private static @Nullable String text(@Nullable Object value) {
    return value == null ? null : value.toString();
  }
}
