package fairgate.draw;

import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.page.Assets;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Visit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/// `/draws`, `/draws/{id}` for people who take part, and `/draws/{id}/report` with the whole draw
/// for operators and press. All can be read without JavaScript.
final class DrawPages {
  private static final int MAX_LISTED = 100;

  private final Draws draws;
  private final DrawRecords records;
  private final DrawView view;
  private final DrawReportView report;
  private final PageSettings settings;

  DrawPages(Draws draws, DrawRecords records, PageSettings settings) {
    PageFrame frame = new PageFrame(settings, new Assets().base());
    this.draws = draws;
    this.records = records;
    this.view = new DrawView(frame);
    this.report = new DrawReportView(frame);
    this.settings = settings;
  }

  List<Route> routes() {
    return List.of(
        Route.blockingGet("/draws", this::list).limits(PAGE),
        Route.blockingGet("/draws/{id}", request -> of(request, this::one)).limits(PAGE),
        Route.blockingGet("/draws/{id}/report", request -> of(request, this::report)).limits(PAGE),
        Route.blockingGet("/p/{id}/draw", this::ofSale).limits(PAGE));
  }

  /// The latest draws, those that are not over first.
  private Reply list(Request request) {
    List<Draw> latest =
        draws.all().stream()
            .sorted(
                Comparator.comparing((Draw draw) -> draw.state().isOver())
                    .thenComparingLong(draw -> -draw.rules().close()))
            .limit(MAX_LISTED)
            .toList();
    return view.list(visit(request), latest);
  }

  private Reply one(Visit visit, Draw draw) {
    return view.one(visit, draw, records.entries(draw), others(draw));
  }

  private List<Draw> others(Draw draw) {
    return draws.all().stream()
        .filter(it -> it.product().equals(draw.product()) && !it.id().equals(draw.id()))
        .sorted(Comparator.comparingLong(it -> -it.rules().close()))
        .limit(MAX_LISTED)
        .toList();
  }

  private Reply report(Visit visit, Draw draw) {
    return report.page(
        visit,
        draw,
        new DrawReportView.Facts(
            records.logKey(),
            records.absences(draw),
            records.passes(draw),
            records.fairness(draw),
            others(draw)));
  }

  /// To the draw of a sale, as links of other pages know only the sale.
  private Reply ofSale(Request request) {
    String id = request.pathParam("id");
    return Optional.of(id)
        .filter(ProductId::isValid)
        .flatMap(it -> draws.ofProduct(new ProductId(it)))
        .map(draw -> Reply.redirect(303, "/draws/" + draw.id()))
        .orElseGet(() -> Reply.redirect(303, "/draws"));
  }

  private Reply of(Request request, BiFunction<Visit, Draw, Reply> page) {
    return draws
        .find(request.pathParam("id"))
        .map(draw -> page.apply(visit(request), draw))
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.DRAW_NOT_FOUND)));
  }

  private Visit visit(Request request) {
    return Visit.of(request, settings, draws.now());
  }
}
