package fairgate.platform.page;

import java.time.Duration;
import java.time.ZoneId;
import java.util.List;

/// The settings of all pages.
///
/// @param currency ISO 4217, for prices without a currency
/// @param zone of the shop, for times
/// @param joinWithoutScript whether the challenge allows a join without JavaScript
/// @param challengeOrigins origins of the challenge's widget; empty for none
/// @param contact e-mail or web address for refused visitors; empty for none
/// @param sandboxPayment whether orders are paid on the page of the sandbox provider
/// @param fingerprint whether the page of a sale sends a fingerprint of the browser
/// @param behavior whether the page of a sale counts how it is used before the join
/// @param brand the shop's name and look
public record PageSettings(
    String currency,
    ZoneId zone,
    boolean joinWithoutScript,
    List<String> challengeOrigins,
    String contact,
    boolean sandboxPayment,
    boolean fingerprint,
    boolean behavior,
    Brand brand) {
  static final String LANGUAGE_COOKIE = "fairgate_lang";
  static final Duration LANGUAGE_LIFE = Duration.ofDays(365);

  public PageSettings {
    challengeOrigins = List.copyOf(challengeOrigins);
  }

  /// The content security policy of every page: nothing inline, and nothing from other origins
  /// except images, whose URLs the operator sets, and the challenge's widget.
  public String policy() {
    String widgets = challengeOrigins.isEmpty() ? "" : " " + String.join(" ", challengeOrigins);
    return "default-src 'none'; script-src 'self'"
        + widgets
        + "; style-src 'self'; img-src 'self' https: data:; font-src 'self'; connect-src 'self'"
        + widgets
        + "; worker-src 'self'; manifest-src 'self'; frame-src "
        + (widgets.isEmpty() ? "'none'" : widgets.strip())
        + "; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
  }
}
