package fairgate.app.pages;

import fairgate.account.PublicOrigin;
import fairgate.account.oidc.OidcFeature;
import fairgate.account.oidc.OidcService;
import fairgate.account.passkey.PasskeyService;
import java.util.List;
import java.util.Optional;

/// The ways to sign in besides a password, as the settings allow them.
///
/// @param passkeys empty when passkeys are off
/// @param origin the origin to which providers send the browser back
public record SignInChoices(
    OidcFeature oidc, Optional<PasskeyService> passkeys, PublicOrigin origin) {
  /// The providers, in the order of their buttons.
  public List<OidcService.Choice> providers() {
    return oidc.service().providers();
  }
}
