package fairgate.app;

import fairgate.account.PublicOrigin;
import fairgate.account.oidc.OidcConfig;
import fairgate.account.oidc.OidcFeature;
import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.kernel.Role;
import fairgate.operator.access.AccessFeature;
import fairgate.operator.access.ProviderSignIn;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Reads the settings of the operators' identity provider.
final class OperatorProvider {
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
