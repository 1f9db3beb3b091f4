package fairgate.app;

import fairgate.account.AccountFeature;
import fairgate.account.identity.IdentityFeature;
import fairgate.app.config.FairgateConfig;
import fairgate.catalog.Catalog;
import fairgate.link.LinkFeature;
import java.util.Optional;

/// People and what is theirs: accounts, verified identities, short links.
final class AccountWiring {
  private AccountWiring() {}

  static AccountFeature account(FairgateConfig config, Features.Ground ground) {
    return ground
        .closing()
        .add(
            AccountFeature.wire(
                Settings.account(config.gate()),
                new AccountFeature.Parts(
                    ground.stores().redis(),
                    ground.stores().postgres(),
                    ground.keys(),
                    ground.seams().ids(),
                    ground.seams().clock(),
                    ground.metrics())));
  }

  static Optional<IdentityFeature> identity(
      FairgateConfig config, AccountFeature account, Catalog catalog, Features.Ground ground) {
    return Settings.identity(config)
        .map(
            verifier ->
                IdentityFeature.wire(
                    verifier,
                    new IdentityFeature.Parts(
                        account,
                        ground.stores().redis(),
                        ground.stores().postgres(),
                        ground.keys(),
                        ground.seams().clock(),
                        id -> catalog.find(id).isPresent())));
  }

  static LinkFeature links(FairgateConfig config, AccountFeature account, Features.Ground ground) {
    return ground
        .closing()
        .add(
            LinkFeature.wire(
                Settings.links(config.links(), config.gate().limits().on()),
                new LinkFeature.Parts(
                    ground.vertx(),
                    ground.stores().redis(),
                    ground.stores().postgres(),
                    ground.metrics()),
                new LinkFeature.Seams(
                    ground.seams().clock(),
                    ground.seams().ids(),
                    ground.keys(),
                    account::accountOf)));
  }
}
