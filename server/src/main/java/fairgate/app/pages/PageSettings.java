package fairgate.app.pages;

import java.time.Duration;
import java.util.List;

/// What is the same on all pages.
///
/// @param currency ISO 4217, for prices that name none
/// @param joinWithoutScript whether the configured challenge lets a browser without JavaScript join
/// @param challengeOrigins where a configured challenge loads its widget from; empty = nowhere
public record PageSettings(
    String currency, boolean joinWithoutScript, List<String> challengeOrigins) {
  /// The cookie that names the visitor's place.
  public static final String SESSION_COOKIE = "fairgate_session";

  static final String LANGUAGE_COOKIE = "fairgate_lang";
  static final Duration SESSION_LIFE = Duration.ofDays(1);
  static final Duration LANGUAGE_LIFE = Duration.ofDays(365);

  public PageSettings {
    challengeOrigins = List.copyOf(challengeOrigins);
  }

  /// The content security policy of every page: nothing inline, nothing from elsewhere, except
  /// pictures, which the operator names by address, and the challenge's widget.
  String policy() {
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
