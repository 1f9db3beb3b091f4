package fairgate.app;

import fairgate.account.identity.VerifiedIdentities;
import fairgate.catalog.SalePolicy.Group;
import fairgate.catalog.SalePolicy.Tier;
import fairgate.kernel.ProductId;
import fairgate.queue.Invitations;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Finds the tier of a buyer: the first one of the sale that the buyer belongs to.
final class SaleTiers {
  private final VerifiedIdentities identities;
  private final Invitations invitations;
  private final Clock clock;

  SaleTiers(VerifiedIdentities identities, Invitations invitations, Clock clock) {
    this.identities = identities;
    this.invitations = invitations;
    this.clock = clock;
  }

  /// A buyer who wants to join.
  ///
  /// @param account null for a guest
  /// @param user as whom the sale counts the buyer; null for a guest
  /// @param browser the id of the browser
  /// @param code the code of an invitation link; empty for none
  record Buyer(
      ProductId product,
      @Nullable String account,
      @Nullable String user,
      String browser,
      String code) {}

  /// The number of the buyer's tier, from 1; 0 without one. Empty if the invitation is not valid.
  /// Fails while the buyer's identities or invitations cannot be read.
  Future<Optional<Integer>> of(Buyer buyer, List<Tier> tiers) {
    if (buyer.code().isEmpty()) {
      return first(buyer, tiers, 0).map(Optional::of);
    }
    return use(buyer)
        .compose(
            invited -> {
              int number = invited.map(name -> number(name, tiers)).orElse(0);
              // An earlier tier is better than the one of the link.
              return number == 0
                  ? Future.succeededFuture(Optional.empty())
                  : first(buyer, tiers.subList(0, number - 1), 0)
                      .map(better -> Optional.of(better == 0 ? number : better));
            });
  }

  private Future<Optional<String>> use(Buyer buyer) {
    List<String> users = new ArrayList<>();
    if (buyer.account() != null) {
      users.add(Invitations.identity("account", buyer.account()));
    }
    users.add(Invitations.identity("browser", buyer.browser()));
    return invitations.use(buyer.product(), buyer.code(), users);
  }

  private static int number(String name, List<Tier> tiers) {
    for (int i = 0; i < tiers.size(); i++) {
      if (tiers.get(i).name().equals(name) && tiers.get(i).group() == Group.INVITATION) {
        return i + 1;
      }
    }
    return 0;
  }

  private Future<Integer> first(Buyer buyer, List<Tier> tiers, int index) {
    String account = buyer.account();
    if (account == null || index >= tiers.size()) {
      return Future.succeededFuture(0);
    }
    Tier tier = tiers.get(index);
    Future<Boolean> belongs =
        tier.until().isAfter(clock.instant())
            ? belongs(buyer, account, tier)
            : Future.succeededFuture(false);
    return belongs.compose(
        found -> found ? Future.succeededFuture(index + 1) : first(buyer, tiers, index + 1));
  }

  private Future<Boolean> belongs(Buyer buyer, String account, Tier tier) {
    ProductId product = buyer.product();
    String member = buyer.user() == null ? account : buyer.user();
    return switch (tier.group()) {
      case ACCOUNT -> Future.succeededFuture(true);
      case PHONE ->
          identities
              .phoneOf(account)
              .compose(found -> owns(product, VerifiedIdentities.PHONE, found, member));
      case PERSON ->
          identities
              .numberOf(account, product.value())
              .compose(found -> owns(product, VerifiedIdentities.NUMBER, found, member));
      case INVITATION ->
          identities
              .hashesOf(account, product.value())
              .compose(names -> invitations.listed(product, names, member))
              .map(tiersOfLists -> tiersOfLists.contains(tier.name()));
    };
  }

  private Future<Boolean> owns(
      ProductId product, String kind, Optional<VerifiedIdentities.Verified> found, String member) {
    String hash = found.map(VerifiedIdentities.Verified::hash).orElse(null);
    return hash == null
        ? Future.succeededFuture(false)
        : invitations.own(product, Invitations.identity(kind, hash), member);
  }
}
