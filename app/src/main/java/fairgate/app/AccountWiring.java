package fairgate.app;

import fairgate.account.AccountFeature;
import fairgate.account.identity.IdentityFeature;
import fairgate.app.config.FairgateConfig;
import fairgate.catalog.Catalog;
import fairgate.link.LinkFeature;
import java.util.Optional;

/// Wires accounts, verified identities and short links.
final class AccountWiring {
  private AccountWiring() {}

  static AccountFeature account(FairgateConfig config, Features.ServerContext context) {
    return context
        .closer()
        .add(
            AccountFeature.wire(
                Settings.account(config.gate()).withUsable(SignInWiring.usable(config)),
                new AccountFeature.Dependencies(
                    context.stores().redis(),
                    context.stores().postgres(),
                    context.keys(),
                    context.ids(),
                    context.clock(),
                    context.metrics())));
  }

  static Optional<IdentityFeature> identity(
      FairgateConfig config,
      AccountFeature account,
      Catalog catalog,
      Features.ServerContext context) {
    return Settings.identity(config)
        .map(
            verifier ->
                IdentityFeature.wire(
                    verifier,
                    new IdentityFeature.Dependencies(
                        account,
                        context.stores().redis(),
                        context.stores().postgres(),
                        context.keys(),
                        context.clock(),
                        id -> catalog.find(id).isPresent())));
  }

  static LinkFeature links(
      FairgateConfig config, AccountFeature account, Features.ServerContext context) {
    return context
        .closer()
        .add(
            LinkFeature.wire(
                Settings.links(config, config.gate().limits().on()),
                new LinkFeature.Dependencies(
                    context.vertx(),
                    context.stores().redis(),
                    context.stores().postgres(),
                    context.metrics()),
                new LinkFeature.Ports(
                    context.clock(), context.ids(), context.keys(), account::accountOf)));
  }
}
