package fairgate.app;

import fairgate.account.AccountFeature;
import fairgate.account.identity.IdentityFeature;
import fairgate.account.identity.PersonRegister;
import fairgate.account.message.Channel;
import fairgate.account.message.MessageConfig;
import fairgate.account.message.MessageFeature;
import fairgate.account.oidc.OidcFeature;
import fairgate.app.config.FairgateConfig;
import fairgate.catalog.Catalog;
import fairgate.catalog.SalePolicy;
import fairgate.gate.ActionChallenge;
import fairgate.gate.GateFeature;
import fairgate.gate.ban.BanService;
import fairgate.kernel.JoinStep;
import fairgate.kernel.Role;
import fairgate.link.LinkFeature;
import fairgate.operator.access.AccessConfig;
import fairgate.operator.access.AccessFeature;
import fairgate.platform.redis.SingleUse;
import java.time.Duration;
import java.util.Optional;

/// Wires accounts, verified identities and short links.
final class AccountWiring {
  private AccountWiring() {}

  static AccountFeature account(FairgateConfig config, FeatureSet.ServerContext context) {
    return context
        .closer()
        .add(
            AccountFeature.wire(
                Settings.account(config.gate())
                    .withHashing(context.parts().hashing())
                    .withUsable(SignInWiring.usable(config)),
                new AccountFeature.Dependencies(
                    context.stores().redis(),
                    context.stores().postgres(),
                    context.keys(),
                    context.ids(),
                    context.clock(),
                    context.metrics())));
  }

  /// Operators use the password mechanism of accounts.
  static AccessFeature operators(
      FairgateConfig config,
      AccountFeature account,
      OidcFeature oidc,
      FeatureSet.ServerContext context) {
    FairgateConfig.Operators operators = config.operators();
    return AccessFeature.wire(
        new AccessConfig(
            config.keys().operatorToken().expose(),
            Role.named(operators.sharedTokenRole()).orElseThrow(),
            Duration.ofMinutes(operators.idleMinutes()),
            Duration.ofHours(operators.hours()),
            OperatorProvider.domains(operators)),
        new AccessFeature.Dependencies(
            context.stores().postgres(),
            account.passwords(),
            OperatorProvider.of(config, oidc),
            context.keys(),
            context.ids(),
            context.clock(),
            context.audit()));
  }

  static Optional<IdentityFeature> identity(
      FairgateConfig config,
      AccountFeature account,
      Catalog catalog,
      GateFeature gate,
      BanService bans,
      FeatureSet.ServerContext context) {
    ActionChallenge resets =
        ActionChallenge.forResets(gate.challenge(), bans, new SingleUse(context.stores().redis()));
    MessageConfig messages = IdentitySettings.messages(config);
    Optional<PersonRegister> register =
        IdentitySettings.register(config, context.ids(), context.clock());
    register.ifPresent(context.closer()::add);
    Optional<IdentityFeature> identity =
        IdentitySettings.isOn(messages, register)
            ? Optional.of(
                IdentityFeature.wire(
                    register,
                    new IdentityFeature.Dependencies(
                        account,
                        messages(messages, account, context),
                        context.stores().redis(),
                        context.stores().postgres(),
                        context.keys(),
                        context.ids(),
                        context.clock(),
                        id -> catalog.find(id).isPresent(),
                        resets::check)))
            : Optional.empty();
    // The step of a code before a join is offered while messages are sent.
    identity
        .flatMap(IdentityFeature::joinCodes)
        .ifPresent(codes -> gate.steps().offer(JoinStep.CODE, _ -> codes.isWorking()));
    return identity;
  }

  /// Whether buyers can verify what a sale counts.
  static boolean verifies(Optional<IdentityFeature> identity, SalePolicy.Identity counted) {
    return switch (counted) {
      case DEVICE, ACCOUNT -> true;
      case PHONE ->
          identity.filter(it -> it.messages().channels().contains(Channel.SMS)).isPresent();
      case PERSON -> identity.filter(IdentityFeature::numbers).isPresent();
    };
  }

  private static MessageFeature messages(
      MessageConfig config, AccountFeature account, FeatureSet.ServerContext context) {
    return context
        .closer()
        .add(
            MessageFeature.wire(
                config,
                new MessageFeature.Dependencies(
                    context.stores().postgres(),
                    account.budgets(),
                    context.keys(),
                    context.ids(),
                    context.clock(),
                    context.metrics())));
  }

  static LinkFeature links(
      FairgateConfig config,
      AccountFeature account,
      GateFeature gate,
      BanService bans,
      FeatureSet.ServerContext context) {
    ActionChallenge guests =
        ActionChallenge.forLinks(gate.challenge(), bans, new SingleUse(context.stores().redis()));
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
                    context.clock(),
                    context.ids(),
                    context.keys(),
                    account::accountOf,
                    guests::check)));
  }
}
