package fairgate.app;

import fairgate.account.AccountFeature;
import fairgate.account.PublicOrigin;
import fairgate.account.identity.IdentityFeature;
import fairgate.account.identity.PersonRegister;
import fairgate.account.message.Channel;
import fairgate.account.message.MessageConfig;
import fairgate.account.message.MessageFeature;
import fairgate.account.oidc.OidcConfig;
import fairgate.account.oidc.OidcFeature;
import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.MessageSettings;
import fairgate.app.feature.FeatureEntry;
import fairgate.catalog.Catalog;
import fairgate.catalog.SalePolicy;
import fairgate.gate.ActionChallenge;
import fairgate.gate.GateFeature;
import fairgate.gate.ban.BanService;
import fairgate.gate.challenge.ChallengeProvider;
import fairgate.kernel.Ids;
import fairgate.kernel.JoinStep;
import fairgate.kernel.Role;
import fairgate.operator.access.AccessFeature;
import fairgate.operator.access.ProviderSignIn;
import fairgate.platform.feature.Feature;
import fairgate.platform.feature.Secret;
import fairgate.platform.lock.ProcessingLock;
import fairgate.platform.redis.SingleUse;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Wires accounts, operators, verified identities, and the features that have an entry.
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
        new AccessFeature.Config(
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
        new ActionChallenge(
            gate.challenge(),
            bans,
            new SingleUse(context.stores().redis()),
            ChallengeProvider.Context.RESET,
            "account:challenge:");
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

  /// The features that have one entry each. Throws StartFailed when their settings are wrong.
  static List<Feature> others(
      FairgateConfig config, FeatureEntry.Features known, FeatureSet.ServerContext context) {
    List<String> problems = config.features().problems(false);
    if (!problems.isEmpty()) {
      throw new StartFailed(String.join("; ", problems));
    }
    for (FeatureEntry entry : FeatureEntry.ALL) {
      known.started().add(context.closer().add(entry.starting().apply(known)));
    }
    return List.copyOf(known.started());
  }

  /// What every feature may use.
  static Feature.Infra infra(FairgateConfig config, FeatureSet.ServerContext context) {
    return new Feature.Infra(
        context.vertx(),
        context.stores().redis(),
        context.stores().postgres(),
        context.keys(),
        context.ids(),
        context.clock(),
        context.metrics(),
        context.health(),
        context.audit(),
        new ProcessingLock(
            context.vertx(),
            context.stores().redis(),
            context.ids(),
            context.metrics(),
            Settings.lock(config.channels().processingLock())),
        config.dataDir(),
        Settings.site(config),
        config.features().byType());
  }

  /// Reads the settings of the operators' identity provider.
  static final class OperatorProvider {
    private static final String NAME = "operators";

    private OperatorProvider() {}

    /// Empty without one. Throws StartFailed when a setting is wrong.
    static Optional<AccessFeature.Provider> of(FairgateConfig config, OidcFeature oidc) {
      return provider(config.operators())
          .map(
              provider ->
                  new AccessFeature.Provider(
                      oidc.exchange(provider, ProviderSignIn.TICKET, ProviderSignIn.CALLBACK),
                      origin(config)));
    }

    private static Optional<OidcConfig.Provider> provider(FairgateConfig.Operators settings) {
      if (settings.oidcIssuer().isEmpty()) {
        return Optional.empty();
      }
      OidcConfig.Provider provider =
          new OidcConfig.Provider(
              NAME,
              settings.oidcLabel(),
              settings.oidcIssuer(),
              settings.oidcClientId(),
              settings.oidcClientSecret().expose(),
              List.of("openid", "email"),
              false);
      List<String> problems =
          new OidcConfig(List.of(provider))
              .problems().stream()
                  .map(problem -> problem.replace("sign_in.providers", "operators.oidc_issuer"))
                  .map(problem -> problem.replace("sign_in.client_ids", "operators.oidc_client_id"))
                  .toList();
      if (!problems.isEmpty()) {
        throw new StartFailed(String.join("; ", problems));
      }
      return Optional.of(provider);
    }

    /// The roles by domain. Nobody becomes an owner by a domain: the last owner could not be told
    /// from people whom the provider adds.
    static Map<String, Role> domains(FairgateConfig.Operators settings) {
      Map<String, Role> domains = new HashMap<>();
      for (String item : settings.oidcDomains()) {
        int cut = item.indexOf('=');
        String domain = item.substring(0, Math.max(0, cut)).strip().toLowerCase(Locale.ROOT);
        Optional<Role> role =
            Role.named(item.substring(cut + 1).strip()).filter(named -> named != Role.OWNER);
        if (!domain.matches("[a-z0-9-]+([.][a-z0-9-]+)+") || role.isEmpty()) {
          throw new StartFailed(
              "operators.oidc_domains: expected domain=viewer, domain=support or domain=seller,"
                  + " separated by commas");
        }
        domains.put(domain, role.get());
      }
      return domains;
    }

    /// The origin to which the provider sends the browser back.
    private static PublicOrigin origin(FairgateConfig config) {
      String own = config.operators().baseUrl();
      return new PublicOrigin(own.isEmpty() ? config.signIn().baseUrl() : own);
    }
  }

  /// Converts the settings of identity verification.
  static final class IdentitySettings {
    private IdentitySettings() {}

    /// Whether anything can be verified.
    static boolean isOn(MessageConfig messages, Optional<PersonRegister> register) {
      return register.isPresent()
          || !(messages.sms() instanceof MessageConfig.Sender.None)
          || !(messages.email() instanceof MessageConfig.Sender.None);
    }

    /// Throws StartFailed when the settings have problems.
    static MessageConfig messages(FairgateConfig config) {
      MessageSettings messages = config.channels().messages();
      if (!messages.problems().isEmpty()) {
        throw new StartFailed(String.join("; ", messages.problems()));
      }
      return new MessageConfig(
          sender(config, messages.sms()),
          sender(config, messages.email()),
          new MessageConfig.Limits(messages.perHour(), Set.copyOf(messages.smsCountries())));
    }

    /// Empty when identity numbers are not verified.
    static Optional<PersonRegister> register(FairgateConfig config, Ids ids, Clock clock) {
      MessageSettings.Register register = config.channels().messages().register();
      if (isConsole(config, register.url().isEmpty())) {
        return Optional.of(IdentityFeature.credulous());
      }
      return register.url().isEmpty() || isOff(config)
          ? Optional.empty()
          : Optional.of(
              IdentityFeature.webhook(register.url(), exposed(register.secrets()), ids, clock));
    }

    private static MessageConfig.Sender sender(FairgateConfig config, String kind) {
      if (isConsole(config, kind.equals("off"))) {
        return new MessageConfig.Sender.Console(config.dataDir().resolve("secrets/one-time-codes"));
      }
      if (isOff(config)) {
        return new MessageConfig.Sender.None();
      }
      MessageSettings messages = config.channels().messages();
      return switch (kind) {
        case "webhook" ->
            new MessageConfig.Sender.Webhook(
                messages.webhook().url(), exposed(messages.webhook().secrets()));
        case "twilio" ->
            new MessageConfig.Sender.Twilio(
                messages.twilio().url(),
                messages.twilio().account(),
                messages.twilio().token().expose(),
                messages.twilio().from());
        case "smtp" -> smtp(messages.smtp());
        default -> new MessageConfig.Sender.None();
      };
    }

    private static MessageConfig.Sender smtp(MessageSettings.Smtp smtp) {
      return new MessageConfig.Sender.Smtp(
          smtp.host(),
          smtp.port(),
          MessageConfig.Sender.Tls.valueOf(smtp.tls().toUpperCase(Locale.ROOT)),
          smtp.user(),
          smtp.password().expose(),
          smtp.from());
    }

    private static boolean isOff(FairgateConfig config) {
      return config.channels().identity().equals("off");
    }

    /// @param unset whether no outside service is configured
    private static boolean isConsole(FairgateConfig config, boolean unset) {
      String provider = config.channels().identity();
      return provider.equals("console")
          || (provider.equals("auto") && unset && Settings.isUp(config));
    }

    private static List<String> exposed(List<Secret> secrets) {
      return secrets.stream().map(Secret::expose).toList();
    }
  }
}
