package fairgate.operator;

import fairgate.account.identity.VerifiedIdentities;
import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.catalog.SalePolicy.Identity;
import fairgate.platform.http.InvalidRequest;
import java.util.ArrayList;
import java.util.List;

/// Finds the references under which an account stands in orders: its own id, and its keyed hash in
/// each sale that counts telephones or persons. Blocks: for virtual threads.
final class BuyerReferences {
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
