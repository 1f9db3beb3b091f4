package fairgate.account.oidc;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// The OpenID Connect providers.
///
/// @param providers in the order of their buttons
public record OidcConfig(List<Provider> providers) {
  public static final OidcConfig NONE = new OidcConfig(List.of());

  /// The issuer of LINE Login.
  public static final String LINE = "https://access.line.me";

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");
  private static final int HS256_KEY_BYTES = 32;
  private static final String OPENID = "openid";

  public OidcConfig {
    providers = List.copyOf(providers);
  }

  /// One provider.
  ///
  /// @param name in paths and in the database; a changed name loses the links of accounts
  /// @param label on buttons
  /// @param issuer exactly as the provider writes it in its metadata and ID tokens
  /// @param clientSecret empty for a public client
  /// @param line whether it is LINE Login, which signs the ID tokens of web logins with the channel
  ///   secret (HS256)
  public record Provider(
      String name,
      String label,
      String issuer,
      String clientId,
      String clientSecret,
      List<String> scopes,
      boolean line) {
    public Provider {
      scopes = List.copyOf(scopes);
    }

    /// Keeps the client secret out of logs.
    @Override
    public String toString() {
      return "Provider[" + name + ", " + issuer + ']';
    }
  }

  /// The problems of the settings, each with the name of its setting; empty when there are none.
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    Set<String> names = new HashSet<>();
    Set<String> issuers = new HashSet<>();
    for (Provider provider : providers) {
      String name = provider.name();
      if (!NAME.matcher(name).matches()) {
        problems.add("sign_in.providers: a name has lower-case letters, digits and -, not " + name);
      }
      if (!names.add(name)) {
        problems.add("sign_in.providers: " + name + " is there twice");
      }
      if (!issuers.add(provider.issuer() + ' ' + provider.clientId())) {
        problems.add("sign_in.providers: " + name + " has issuer and client of another one");
      }
      if (!isUrl(provider.issuer())) {
        problems.add(
            "sign_in.providers: expected "
                + name
                + "=https://issuer (plain http on this machine only)");
      }
      if (provider.clientId().isEmpty()) {
        problems.add("sign_in.client_ids: " + name + " has none");
      }
      if (!provider.scopes().contains(OPENID)) {
        problems.add("sign_in.scopes: " + name + " needs the scope openid");
      }
      int secretBytes = provider.clientSecret().getBytes(StandardCharsets.UTF_8).length;
      if (provider.line() && secretBytes < HS256_KEY_BYTES) {
        problems.add("sign_in.client_secrets: " + name + " needs the channel secret of LINE Login");
      }
    }
    return problems;
  }

  private static boolean isUrl(String issuer) {
    try {
      URI uri = URI.create(issuer);
      String host = String.valueOf(uri.getHost());
      boolean local = host.equals("localhost") || host.startsWith("127.");
      return uri.getHost() != null
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null
          && ("https".equals(uri.getScheme()) || ("http".equals(uri.getScheme()) && local));
    } catch (IllegalArgumentException _) {
      return false;
    }
  }
}
