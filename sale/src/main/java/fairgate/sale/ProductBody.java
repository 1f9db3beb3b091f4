package fairgate.sale;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.catalog.EvenBatches;
import fairgate.catalog.PolicyJson;
import fairgate.catalog.PolicyOutcome;
import fairgate.catalog.PolicyProblem;
import fairgate.catalog.Product;
import fairgate.catalog.SalePolicy;
import fairgate.catalog.SalePolicy.Schedule;
import fairgate.kernel.Iso4217;
import fairgate.kernel.Money;
import fairgate.kernel.ProductId;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Request;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A complete or partial product in an operator's request.
final class ProductBody {
  /// The fields of a product; the policy checks its own.
  static final AdminInput INPUT =
      AdminInput.body(
          "id",
          "name",
          "image_url",
          "price",
          "currency",
          "total_stock",
          "duration_days",
          "policy",
          "confirm");

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long HIGHEST_PRICE = 1_000_000_000_000L;
  private static final int LONGEST_DURATION = 36_500;
  private static final Set<String> TO_CONFIRM =
      Set.of("payment", "price", "currency", "deposit", "preset", "identity");

  private final JsonBody body;
  private final JsonNode policy;

  private final RandomGenerator chance;

  private ProductBody(Request request, RandomGenerator chance) {
    this.body = request.json();
    this.policy = tree(request.body()).path("policy");
    this.chance = chance;
  }

  /// @param chance draws the gaps between batches
  static ProductBody of(Request request, RandomGenerator chance) {
    return new ProductBody(request, chance);
  }

  /// The id of a new product.
  ProductId id() {
    String id = body.text("id");
    if (!ProductId.isValid(id)) {
      throw new InvalidRequest("id", "not_digits", 1, 19);
    }
    return new ProductId(id);
  }

  /// A new product. Throws InvalidRequest for the first problem, as do all methods below.
  ///
  /// @param was the product if it exists already: this may be a repeat
  Product.Draft whole(Optional<Product> was) {
    String currency = body.optionalText("currency");
    String image = image();
    Product.Details details =
        new Product.Details(
            name(),
            image == null ? "" : image,
            money(price(), currency == null ? "TWD" : currency),
            stock(),
            days());
    if (!named()) {
      return new Product.Draft(details, valid(PolicyJson.read("{}")));
    }
    Schedule schedule = was.map(Product::policy).map(SalePolicy::schedule).orElse(Schedule.NONE);
    return new Product.Draft(
        details, valid(PolicyJson.read(expanded(details.totalStock(), schedule, null))));
  }

  /// The product with name, price and stock of the body, and the other fields that the body has. A
  /// policy in the body replaces the previous one.
  Product.Draft replacing(Product was) {
    int stock = stock();
    return new Product.Draft(
        details(was, name(), price(), stock),
        named()
            ? valid(PolicyJson.read(expanded(stock, was.policy().schedule(), null)))
            : was.policy());
  }

  /// The product with the fields of the body. Fields of the policy that the body lacks are kept,
  /// too.
  Product.Draft changing(Product was) {
    Product.Details details = was.details();
    int stock = body.has("total_stock") ? stock() : details.totalStock();
    return new Product.Draft(
        details(
            was,
            body.has("name") ? name() : details.name(),
            body.has("price") ? price() : details.price().minorUnits(),
            stock),
        named() ? valid(PolicyJson.readChange(was.policy(), changed(stock, was))) : was.policy());
  }

  /// The changes of a running sale that the operator confirms.
  Set<String> confirmed() {
    List<String> names = body.texts("confirm");
    if (!TO_CONFIRM.containsAll(names)) {
      throw new InvalidRequest(
          "confirm", "not_one_of", "payment, price, currency, deposit, preset, identity");
    }
    return Set.copyOf(names);
  }

  /// Throws when the body has another product id than the path.
  ProductBody about(ProductId id) {
    String named = body.optionalText("id");
    if (named != null && !named.equals(id.value())) {
      throw new InvalidRequest("id", "not_one_of", id.value());
    }
    return this;
  }

  private Product.Details details(Product was, String name, long price, int stock) {
    String currency = body.optionalText("currency");
    String image = image();
    return new Product.Details(
        name,
        image == null ? was.details().imageUrl() : image,
        money(price, currency == null ? was.details().price().currency() : currency),
        stock,
        body.names().contains("duration_days") ? days() : was.details().durationDays());
  }

  private String name() {
    return body.name("name", 1, 200);
  }

  private long price() {
    return body.longInteger("price", 0, HIGHEST_PRICE);
  }

  private int stock() {
    return body.integer("total_stock", 0, PolicyJson.MOST_UNITS);
  }

  private @Nullable String image() {
    String url = body.optionalText("image_url", 0, 2_000);
    if (url != null && !isPicture(url)) {
      throw new InvalidRequest("image_url", "image_url");
    }
    return url;
  }

  /// Whether pages show the image: empty, an https URL, or a path of this server. Their content
  /// security policy has no http.
  private static boolean isPicture(String url) {
    if (url.isEmpty()) {
      return true;
    }
    try {
      URI address = new URI(url);
      String scheme = address.getScheme();
      if (scheme == null) {
        return url.startsWith("/") && !url.startsWith("//");
      }
      return scheme.equalsIgnoreCase("https") && address.getHost() != null;
    } catch (URISyntaxException _) {
      return false;
    }
  }

  private @Nullable Integer days() {
    return body.has("duration_days") ? body.integer("duration_days", 1, LONGEST_DURATION) : null;
  }

  private JsonNode changed(int stock, Product was) {
    Schedule schedule = was.policy().schedule();
    return expanded(stock, schedule, schedule.opensAt());
  }

  /// The policy of the body; batches that it only counts have their times.
  private JsonNode expanded(int stock, Schedule was, @Nullable Instant opensAt) {
    EvenBatches.Expansion expansion = EvenBatches.expand(policy, stock, was, opensAt, chance);
    if (!expansion.problems().isEmpty()) {
      throw PolicyProblem.invalid("policy.", expansion.problems());
    }
    return expansion.policy();
  }

  private boolean named() {
    return !policy.isMissingNode() && !policy.isNull();
  }

  private static Money money(long minorUnits, String currency) {
    if (!Iso4217.isInUse(currency)) {
      throw new InvalidRequest("currency", "currency");
    }
    return new Money(minorUnits, currency);
  }

  private static SalePolicy valid(PolicyOutcome outcome) {
    return switch (outcome) {
      case PolicyOutcome.Valid(SalePolicy policy) -> policy;
      case PolicyOutcome.Invalid(List<PolicyProblem> problems) ->
          throw PolicyProblem.invalid("policy.", problems);
    };
  }

  private static JsonNode tree(byte[] body) {
    try {
      return JSON.readTree(body);
    } catch (JacksonException e) {
      // `request.json()` has already parsed it with stricter rules.
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
