package fairgate.app;

import fairgate.account.AccountFeature;
import fairgate.account.identity.VerifiedIdentities;
import fairgate.account.identity.VerifiedIdentities.Verified;
import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.catalog.SalePolicy.Fairness;
import fairgate.catalog.SalePolicy.Identity;
import fairgate.catalog.SalePolicy.Preset;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;

/// Applies the `identity` of a sale's policy to accounts.
final class SaleBuyers implements Buyers {
  private final AccountFeature accounts;
  private final VerifiedIdentities identities;
  private final Catalog catalog;
  private final KeyRing keyRing;
  private final Clock clock;

  SaleBuyers(
      AccountFeature accounts,
      VerifiedIdentities identities,
      Catalog catalog,
      KeyRing keyRing,
      Clock clock) {
    this.accounts = accounts;
    this.identities = identities;
    this.catalog = catalog;
    this.keyRing = keyRing;
    this.clock = clock;
  }

  @Override
  public Future<Check> check(Request request, ProductId product) {
    Fairness rules = rules(product);
    return accounts
        .accountOf(request)
        .compose(
            account -> {
              if (rules.identity() == Identity.DEVICE) {
                return Future.succeededFuture(new Check.Passed(account.orElse(null)));
              }
              return account.isEmpty()
                  ? Future.succeededFuture(new Check.Failed(Refusal.of(ErrorCode.SIGN_IN_REQUIRED)))
                  : verified(account.get(), rules.identity(), product)
                      .map(found -> judge(account.get(), found, rules, product));
            });
  }

  @Override
  public Future<Optional<String>> userOf(Request request, ProductId product) {
    return accounts
        .accountOf(request)
        .compose(
            account ->
                account
                    .map(id -> userOf(id, product))
                    .orElse(Future.succeededFuture(Optional.empty())));
  }

  @Override
  public Future<Optional<String>> userOf(String account, ProductId product) {
    Identity identity = rules(product).identity();
    return identity == Identity.DEVICE || identity == Identity.ACCOUNT
        ? Future.succeededFuture(Optional.of(account))
        : verified(account, identity, product)
            .map(found -> found.flatMap(one -> userOf(account, one, identity, product)));
  }

  private Fairness rules(ProductId product) {
    // A node reads products and policies of another one within a second. Until then `join.lua`
    // refuses users of another kind than the sale counts.
    return catalog.find(product).map(Product::policy).orElseGet(Preset.QUEUE::policy).fairness();
  }

  private Future<Optional<Verified>> verified(
      String account, Identity identity, ProductId product) {
    return identity == Identity.PERSON
        ? identities.numberOf(account, product.value())
        : identities.phoneOf(account);
  }

  private Check judge(String account, Optional<Verified> found, Fairness rules, ProductId product) {
    if (found.isEmpty()) {
      return new Check.Failed(Refusal.of(ErrorCode.SIGN_IN_REQUIRED));
    }
    Verified one = found.get();
    Optional<String> user = userOf(account, one, rules.identity(), product);
    if (user.isEmpty()) {
      return refused(rules.identity().word());
    }
    Integer age = rules.minAccountAge();
    if (age != null && one.accountSince().plusSeconds(age).isAfter(clock.instant())) {
      return refused("min_account_age");
    }
    Instant deadline = rules.verifiedBefore();
    Instant since = rules.identity() == Identity.ACCOUNT ? one.accountSince() : one.verifiedAt();
    if (deadline != null && (since == null || !since.isBefore(deadline))) {
      return refused("verified_before");
    }
    return new Check.Passed(user.get());
  }

  /// @param required the field or value of the policy that the account does not meet
  private static Check refused(String required) {
    return new Check.Failed(Refusal.of(ErrorCode.VERIFICATION_REQUIRED).with("required", required));
  }

  /// The hash differs in each sale, so that a person cannot be recognized across sales.
  private Optional<String> userOf(
      String account, Verified one, Identity identity, ProductId product) {
    if (identity == Identity.ACCOUNT) {
      return Optional.of(account);
    }
    String hash = one.hash();
    return hash == null
        ? Optional.empty()
        : Optional.of(
            identity.userPrefix() + keyRing.fingerprint("buyer", product.value() + '|' + hash));
  }
}
