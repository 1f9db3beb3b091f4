package fairgate.app;

import fairgate.account.AccountFeature;
import fairgate.account.JoinPass;
import fairgate.account.PasskeyFeature;
import fairgate.account.PublicOrigin;
import fairgate.account.SignInMethods;
import fairgate.account.SignInTickets;
import fairgate.account.oidc.OidcConfig;
import fairgate.account.oidc.OidcFeature;
import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.SignInSettings;
import fairgate.gate.JoinSteps;
import fairgate.kernel.JoinStep;
import fairgate.kernel.ProductId;
import fairgate.platform.feature.Secret;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Wires the ways to sign in besides a password, and reads their settings.
final class SignInWiring {
  private static final String LINE = "line";

  private SignInWiring() {}

  static OidcFeature oidc(
      FairgateConfig config, AccountFeature account, FeatureSet.ServerContext context) {
    return context
        .closer()
        .add(
            OidcFeature.wire(
                providers(config.signIn()),
                new OidcFeature.Dependencies(
                    account,
                    tickets(context),
                    context.stores().postgres(),
                    context.keys(),
                    context.clock())));
  }

  private static SignInTickets tickets(FeatureSet.ServerContext context) {
    return new SignInTickets(
        context.keys(), context.stores().redis(), context.ids(), context.clock());
  }

  static PublicOrigin origin(FairgateConfig config) {
    return new PublicOrigin(config.signIn().baseUrl());
  }

  /// The ways that accounts may rely on.
  static SignInMethods.Usable usable(FairgateConfig config) {
    Set<String> names =
        providers(config.signIn()).providers().stream()
            .map(OidcConfig.Provider::name)
            .collect(Collectors.toSet());
    return new SignInMethods.Usable(names, passkeys(config));
  }

  private static boolean passkeys(FairgateConfig config) {
    SignInSettings settings = config.signIn();
    return settings.passkeys().equals("on")
        || (settings.passkeys().equals("auto")
            && (Settings.isUp(config) || !settings.baseUrl().isEmpty()));
  }

  /// Empty when passkeys are off.
  static Optional<PasskeyFeature> passkeys(
      FairgateConfig config,
      AccountFeature account,
      JoinSteps steps,
      FeatureSet.ServerContext context) {
    PublicOrigin origin = origin(config);
    if (passkeys(config)) {
      steps.offer(JoinStep.PASSKEY, request -> origin.of(request).isPresent());
    }
    return passkeys(config)
        ? Optional.of(
            PasskeyFeature.wire(
                new PasskeyFeature.Dependencies(
                    account,
                    tickets(context),
                    origin,
                    new JoinStepPass(steps),
                    context.stores().postgres(),
                    context.clock())))
        : Optional.empty();
  }

  /// The passes of the gate.
  private record JoinStepPass(JoinSteps steps) implements JoinPass {
    @Override
    public boolean isAsked(Request request, ProductId sale, String ticket) {
      return steps.ticket(ticket, request, sale).isPresent();
    }

    @Override
    public Reply passed(Reply reply, Request request, ProductId sale, JoinStep step) {
      return steps.passed(reply, request, sale, step);
    }
  }

  /// The providers of the settings. Throws StartFailed when a setting is wrong.
  static OidcConfig providers(SignInSettings settings) {
    Map<String, String> issuers = pairs("sign_in.providers", settings.providers());
    Map<String, String> clients = pairs("sign_in.client_ids", settings.clientIds());
    Map<String, String> secrets =
        pairs(
            "sign_in.client_secrets",
            settings.clientSecrets().stream().map(Secret::expose).toList());
    Map<String, String> scopes = pairs("sign_in.scopes", settings.scopes());
    Map<String, String> labels = pairs("sign_in.labels", settings.labels());
    known("sign_in.client_ids", clients, issuers);
    known("sign_in.client_secrets", secrets, issuers);
    known("sign_in.scopes", scopes, issuers);
    known("sign_in.labels", labels, issuers);
    List<OidcConfig.Provider> providers = new ArrayList<>();
    issuers.forEach(
        (name, issuer) -> {
          boolean line = issuer.equals(LINE);
          providers.add(
              new OidcConfig.Provider(
                  name,
                  labels.getOrDefault(name, line ? "LINE" : capitalized(name)),
                  line ? OidcConfig.LINE : issuer,
                  clients.getOrDefault(name, ""),
                  secrets.getOrDefault(name, ""),
                  List.of(scopes.getOrDefault(name, "openid").strip().split(" +", -1)),
                  line));
        });
    OidcConfig config = new OidcConfig(providers);
    if (!config.problems().isEmpty()) {
      throw new StartFailed(String.join("; ", config.problems()));
    }
    return config;
  }

  /// The error names no value, because it may be a secret.
  private static Map<String, String> pairs(String setting, List<String> items) {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String item : items) {
      int cut = item.indexOf('=');
      if (cut < 1 || cut == item.length() - 1) {
        throw new StartFailed(setting + ": expected name=value, separated by commas");
      }
      String name = item.substring(0, cut).strip();
      if (pairs.put(name, item.substring(cut + 1).strip()) != null) {
        throw new StartFailed(setting + ": " + name + " is there twice");
      }
    }
    return pairs;
  }

  private static void known(
      String setting, Map<String, String> values, Map<String, String> issuers) {
    for (String name : values.keySet()) {
      if (!issuers.containsKey(name)) {
        throw new StartFailed(setting + ": sign_in.providers has no " + name);
      }
    }
  }

  private static String capitalized(String name) {
    return name.isEmpty()
        ? name
        : name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
  }
}
