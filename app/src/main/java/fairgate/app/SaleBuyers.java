package fairgate.app;

import fairgate.account.AccountFeature;
import fairgate.account.identity.VerifiedIdentities;
import fairgate.account.identity.VerifiedIdentities.Verified;
import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.catalog.SalePolicy;
import fairgate.catalog.SalePolicy.Fairness;
import fairgate.catalog.SalePolicy.Identity;
import fairgate.catalog.SalePolicy.Preset;
import fairgate.catalog.SalePolicy.Tier;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Applies the `identity` of a sale's policy to accounts.
final class SaleBuyers implements Buyers {
  private final AccountFeature accounts;
  private final VerifiedIdentities identities;
  private final SaleTiers tiers;
  private final Catalog catalog;
  private final KeyRing keyRing;
  private final Clock clock;

  SaleBuyers(
      AccountFeature accounts,
      VerifiedIdentities identities,
      SaleTiers tiers,
      Catalog catalog,
      KeyRing keyRing,
      Clock clock) {
    this.accounts = accounts;
    this.identities = identities;
    this.tiers = tiers;
    this.catalog = catalog;
    this.keyRing = keyRing;
    this.clock = clock;
  }

  @Override
  public Future<Check> check(Request request, ProductId product, String invitation) {
    SalePolicy policy = policy(product);
    Fairness rules = policy.fairness();
    return accounts
        .accountOf(request)
        .compose(
            account -> {
              if (rules.identity() == Identity.DEVICE) {
                return Future.succeededFuture(new Check.Passed(account.orElse(null), 0));
              }
              return account.isEmpty()
                  ? Future.succeededFuture(signIn(rules.identity()))
                  : verified(account.get(), rules.identity(), product)
                      .map(found -> judge(account.get(), found, rules, product));
            })
        .compose(check -> withTier(check, request, product, policy.priority(), invitation));
  }

  /// Adds the tier of a buyer that may join.
  private Future<Check> withTier(
      Check check, Request request, ProductId product, List<Tier> priority, String invitation) {
    if (!(check instanceof Check.Passed passed) || (priority.isEmpty() && invitation.isEmpty())) {
      return Future.succeededFuture(check);
    }
    return accounts
        .accountOf(request)
        .compose(
            account ->
                tiers.of(
                    new SaleTiers.Buyer(
                        product,
                        account.orElse(null),
                        passed.user(),
                        request.device().id().value(),
                        invitation),
                    priority))
        .map(
            tier ->
                tier.<Check>map(number -> new Check.Passed(passed.user(), number))
                    .orElseGet(() -> new Check.Failed(Refusal.of(ErrorCode.INVITATION_INVALID))));
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
    Identity identity = policy(product).fairness().identity();
    return identity == Identity.DEVICE || identity == Identity.ACCOUNT
        ? Future.succeededFuture(Optional.of(account))
        : verified(account, identity, product)
            .map(found -> found.flatMap(one -> userOf(account, one, identity, product)));
  }

  private SalePolicy policy(ProductId product) {
    // A node reads products and policies of another one within a second. Until then `join.lua`
    // refuses users of another kind than the sale counts.
    return catalog.find(product).map(Product::policy).orElseGet(Preset.QUEUE::policy);
  }

  private Future<Optional<Verified>> verified(
      String account, Identity identity, ProductId product) {
    return identity == Identity.PERSON
        ? identities.numberOf(account, product.value())
        : identities.phoneOf(account);
  }

  private Check judge(String account, Optional<Verified> found, Fairness rules, ProductId product) {
    if (found.isEmpty()) {
      return signIn(rules.identity());
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
    return new Check.Passed(user.get(), 0);
  }

  private static Check signIn(Identity identity) {
    return new Check.Failed(
        Refusal.of(ErrorCode.SIGN_IN_REQUIRED).with("required", identity.word()));
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
