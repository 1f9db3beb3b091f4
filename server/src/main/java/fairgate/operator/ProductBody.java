package fairgate.operator;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.catalog.PolicyJson;
import fairgate.catalog.PolicyOutcome;
import fairgate.catalog.PolicyProblem;
import fairgate.catalog.Product;
import fairgate.catalog.SalePolicy;
import fairgate.kernel.Money;
import fairgate.kernel.ProductId;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Request;
import java.io.IOException;
import java.util.List;

/// A product as an operator sends it.
///
/// @param policy checked
record ProductBody(ProductId id, Product.Details details, SalePolicy policy) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long HIGHEST_PRICE = 1_000_000_000_000L;
  private static final int LONGEST_DURATION = 36_500;

  /// Reads a product; throws InvalidRequest with the first thing that is wrong.
  static ProductBody read(Request request) {
    String id = request.json().text("id");
    if (!ProductId.isValid(id)) {
      throw new InvalidRequest("id", "not_digits", 1, 19);
    }
    return read(request, new ProductId(id));
  }

  /// Reads a product whose id the path gives; a different one in the body is refused.
  static ProductBody read(Request request, ProductId id) {
    JsonBody body = request.json();
    String named = body.optionalText("id");
    if (named != null && !named.equals(id.value())) {
      throw new InvalidRequest("id", "not_one_of", id.value());
    }
    String currency = body.optionalText("currency");
    Money price =
        money(body.longInteger("price", 0, HIGHEST_PRICE), currency == null ? "TWD" : currency);
    int days = body.optionalInteger("duration_days", 1, LONGEST_DURATION, 0);
    String image = body.optionalText("image_url", 0, 2_000);
    Product.Details details =
        new Product.Details(
            body.text("name", 1, 200),
            image == null ? "" : image,
            price,
            body.integer("total_stock", 0, PolicyJson.MOST_UNITS),
            days == 0 ? null : days);
    return new ProductBody(id, details, policy(request));
  }

  private static Money money(long minorUnits, String currency) {
    if (!currency.matches("[A-Z]{3}")) {
      throw new InvalidRequest("currency", "currency");
    }
    return new Money(minorUnits, currency);
  }

  private static SalePolicy policy(Request request) {
    JsonNode node = tree(request.body()).path("policy");
    PolicyOutcome outcome =
        node.isMissingNode() || node.isNull() ? PolicyJson.read("{}") : PolicyJson.read(node);
    return switch (outcome) {
      case PolicyOutcome.Valid(SalePolicy policy) -> policy;
      case PolicyOutcome.Invalid(List<PolicyProblem> problems) ->
          throw invalid("policy.", problems);
    };
  }

  /// The first problem as the caller's; the field is named in full.
  static InvalidRequest invalid(String prefix, List<PolicyProblem> problems) {
    PolicyProblem first = problems.getFirst();
    String field = first.field().isEmpty() ? prefix.replace(".", "") : prefix + first.field();
    return new InvalidRequest(field, first.problem(), first.args().toArray());
  }

  private static JsonNode tree(byte[] body) {
    try {
      return JSON.readTree(body);
    } catch (JacksonException e) {
      // `request.json()` has accepted it, by the stricter rules.
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
