package fairgate.ticket;

import static fairgate.kernel.Role.SUPPORT;

import fairgate.catalog.BuyerField;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.ExportLock;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.SpreadsheetCsv;
import fairgate.sale.BuyerDetails;
import fairgate.sale.BuyerDetails.OrderDetails;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What buyers gave for their orders: names, addresses and the like. Every call is recorded, reads
/// too. Every method blocks.
final class DetailsAdmin {
  private static final Duration LONGEST_EXPORT = Duration.ofHours(1);
  private static final List<String> COLUMNS = List.of("order_id", "order_number", "given_at");

  private final BuyerDetails details;
  private final TicketService tickets;
  private final Catalog catalog;
  private final ExportLock lock;

  DetailsAdmin(BuyerDetails details, TicketService tickets, Catalog catalog, ExportLock lock) {
    this.details = details;
    this.tickets = tickets;
    this.catalog = catalog;
    this.lock = lock;
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet("/api/admin/orders/{order_id}/details", admin.guard(this::one))
            .roles(SUPPORT),
        Route.blockingDelete("/api/admin/orders/{order_id}/details", admin.guard(this::erase))
            .roles(SUPPORT)
            .withReason(true),
        Route.blockingGet("/api/admin/products/{id}/details.csv", admin.guard(this::export))
            .roles(SUPPORT)
            .withDeadline(LONGEST_EXPORT));
  }

  private Reply one(Request request) {
    return order(request)
        .map(id -> Reply.json(200, shown(id, request)).header("cache-control", "no-store"))
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.ORDER_NOT_FOUND)));
  }

  private byte[] shown(OrderId id, Request request) {
    Optional<OrderDetails> given = details.find(id);
    JsonText fields = JsonText.array();
    for (BuyerField field : details.asked(id.product())) {
      fields =
          fields.add(
              JsonText.object()
                  .put("key", field.key())
                  .put("kind", field.kind().word())
                  .put("label", field.label(request.language()))
                  .put("required", field.required()));
    }
    JsonText values = JsonText.object();
    new TreeMap<>(given.map(OrderDetails::values).orElse(Map.of())).forEach(values::put);
    return JsonText.object()
        .put("order_id", id.value())
        .put("given", given.isPresent())
        .put("readable", given.map(OrderDetails::readable).orElse(true))
        .putAny("given_at", given.map(found -> found.givenAt().toEpochMilli()).orElse(null))
        .put("fields", fields)
        .put("values", values)
        .bytes();
  }

  /// Erases what the buyer gave, and the names on the tickets. A repeat changes nothing.
  private Reply erase(Request request) {
    return order(request)
        .map(this::erased)
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.ORDER_NOT_FOUND)));
  }

  private Reply erased(OrderId id) {
    tickets.erase(id);
    return Reply.json(
        200,
        JsonText.object()
            .put("success", true)
            .put("order_id", id.value())
            .put("erased", details.erase(id))
            .bytes());
  }

  private Reply export(Request request) {
    return Optional.of(request.pathParam("id"))
        .filter(ProductId::isValid)
        .flatMap(id -> catalog.find(new ProductId(id)))
        .map(
            product ->
                lock.file(
                    request,
                    "details-" + product.id().value() + ".csv",
                    out -> write(product, out)))
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.PRODUCT_NOT_FOUND)));
  }

  /// One column for each field that the product asks for now. Values of fields that it no longer
  /// asks for are together in the last one.
  private void write(Product product, OutputStream out) throws IOException {
    List<String> keys = product.content().buyerFields().stream().map(BuyerField::key).toList();
    SpreadsheetCsv csv = new SpreadsheetCsv(out);
    csv.write(Stream.of(COLUMNS, keys, List.of("other")).flatMap(List::stream).toList());
    details.forEachChunk(product.id(), chunk -> chunk.forEach(each -> csv.write(row(each, keys))));
    csv.flush();
  }

  private static List<@Nullable String> row(OrderDetails given, List<String> keys) {
    List<@Nullable String> cells = new ArrayList<>();
    cells.add(given.order().value());
    cells.add(given.order().number().toString());
    cells.add(given.givenAt().toString());
    Map<String, String> rest = new TreeMap<>(given.values());
    for (String key : keys) {
      cells.add(rest.remove(key));
    }
    JsonText other = JsonText.object();
    rest.forEach(other::put);
    cells.add(rest.isEmpty() ? null : other.toString());
    return cells;
  }

  private static Optional<OrderId> order(Request request) {
    return Optional.of(request.pathParam("order_id")).filter(OrderId::isValid).map(OrderId::new);
  }
}
