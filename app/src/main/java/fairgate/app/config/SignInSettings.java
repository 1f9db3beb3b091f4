package fairgate.app.config;

import fairgate.platform.feature.Secret;
import fairgate.platform.feature.Setting;
import java.util.List;

/// Ways to sign in to an account besides a password: docs/operate/sign-in.md.
public record SignInSettings(
    @Setting(
            name = "sign_in.base_url",
            schemes = {"http", "https"},
            doc =
                "The shop's public address as browsers see it, such as "
                    + "`https://tickets.example.com`; passkeys and the callbacks of "
                    + "providers belong to it. `up` needs none on this machine.")
        String baseUrl,
    @Setting(
            name = "sign_in.providers",
            values = "list of name=issuer",
            doc =
                "OpenID Connect providers, such as `google=https://accounts.google.com`; "
                    + "`line=line` is LINE Login.")
        List<String> providers,
    @Setting(
            name = "sign_in.client_ids",
            values = "list of name=client id",
            doc = "The client id at each provider.")
        List<String> clientIds,
    @Setting(
            name = "sign_in.client_secrets",
            doc = "The client secret at each provider, as `name=secret`, separated by commas.")
        List<Secret> clientSecrets,
    @Setting(
            name = "sign_in.scopes",
            values = "list of name=scopes",
            doc = "Scopes to request, separated by spaces; `openid` by default.")
        List<String> scopes,
    @Setting(
            name = "sign_in.labels",
            values = "list of name=label",
            doc = "The provider's name on the button; its name in `sign_in.providers` by default.")
        List<String> labels,
    @Setting(
            name = "sign_in.passkeys",
            fallback = "auto",
            words = {"auto", "on", "off"},
            doc =
                "Whether accounts can sign in with passkeys; `auto` allows it in `up`, and in "
                    + "`serve` if `sign_in.base_url` is set.")
        String passkeys) {}
