package fairgate.operator;

import fairgate.account.identity.VerifiedIdentities;
import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.catalog.SalePolicy.Identity;
import fairgate.kernel.OrderId;
import fairgate.kernel.OrderNumber;
import fairgate.kernel.ProductId;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.AdminQuery;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Request;
import fairgate.sale.ledger.OrderSearch;
import fairgate.sale.ledger.OrderStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The filters of orders in a query string.
final class OrderFilter {
  private static final List<String> NAMES =
      List.of(
          "product_id",
          "status",
          "number",
          "payment_id",
          "user_id",
          "account",
          "device",
          "from",
          "to");

  /// The input of the list: the filters and the page.
  static final AdminInput LIST = AdminInput.query("after", "limit").and(NAMES);

  /// The input of the export.
  static final AdminInput EXPORT = AdminInput.NONE.and(NAMES);

  private static final long LAST = 4_102_444_800_000L;

  private final BuyerReferences buyers;

  OrderFilter(BuyerReferences buyers) {
    this.buyers = buyers;
  }

  /// Throws [InvalidRequest] for a value that is not valid.
  OrderSearch.Query of(Request request) {
    return new OrderSearch.Query(
        product(request),
        AdminQuery.word(request, "status", OrderStatus.values(), OrderStatus::wire),
        number(request),
        AdminQuery.text(request, "payment_id"),
        users(request),
        AdminQuery.text(request, "device"),
        time(request, "from"),
        time(request, "to"));
  }

  /// The page: `after`, `limit`.
  static OrderSearch.Query.Page page(Request request) {
    String after = request.query("after");
    if (after != null && !OrderId.isValid(after)) {
      throw new InvalidRequest("after", "bad_format");
    }
    return new OrderSearch.Query.Page(
        after == null ? null : new OrderId(after), AdminQuery.limit(request));
  }

  private @Nullable List<String> users(Request request) {
    String user = AdminQuery.text(request, "user_id");
    String account = AdminQuery.text(request, "account");
    if (user != null && account != null) {
      throw new InvalidRequest("account", "not_together", "user_id");
    }
    if (account != null) {
      return buyers.ofAccount(account);
    }
    return user == null ? null : List.of(user);
  }

  private static @Nullable ProductId product(Request request) {
    String id = request.query("product_id");
    if (id == null) {
      return null;
    }
    if (!ProductId.isValid(id)) {
      throw new InvalidRequest("product_id", "not_digits", 1, 19);
    }
    return new ProductId(id);
  }

  private static @Nullable OrderNumber number(Request request) {
    String typed = request.query("number");
    return typed == null
        ? null
        : OrderNumber.parse(typed).orElseThrow(() -> new InvalidRequest("number", "order_number"));
  }

  private static @Nullable Instant time(Request request, String name) {
    return request.query(name) == null
        ? null
        : Instant.ofEpochMilli(AdminQuery.number(request, name, 0, LAST, 0));
  }

  /// Finds the references under which an account stands in orders: its own id, and its keyed hash
  /// in each sale that counts telephones or persons. Blocks: for virtual threads.
  static final class BuyerReferences {
    private final VerifiedIdentities identities;
    private final Buyers buyers;
    private final Catalog catalog;

    BuyerReferences(VerifiedIdentities identities, Buyers buyers, Catalog catalog) {
      this.identities = identities;
      this.buyers = buyers;
      this.catalog = catalog;
    }

    /// The references of an account; empty when there is no account with this user name.
    List<String> ofAccount(String username) {
      return identities.accountNamed(username).await().map(this::references).orElse(List.of());
    }

    /// The references of the account that verified a telephone; empty when there is none. Throws
    /// [InvalidRequest] when the text is no telephone number.
    List<String> ofTelephone(String telephone) {
      String hash =
          identities
              .telephoneHash(telephone)
              .orElseThrow(() -> new InvalidRequest("telephone", "bad_format"));
      return identities.accountWithTelephone(hash).await().map(this::references).orElse(List.of());
    }

    private List<String> references(String account) {
      List<String> references = new ArrayList<>(List.of(account));
      for (Product product : catalog.all()) {
        Identity identity = product.policy().fairness().identity();
        if (identity == Identity.PHONE || identity == Identity.PERSON) {
          buyers.userOf(account, product.id()).await().ifPresent(references::add);
        }
      }
      return references;
    }
  }
}
