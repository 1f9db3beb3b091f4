package fairgate.platform.page;

import fairgate.kernel.SessionId;
import fairgate.platform.http.Request;
import fairgate.platform.http.SessionOf;
import fairgate.platform.text.Language;
import fairgate.platform.text.Languages;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A request for a page, with the visitor's language.
public record Visit(Request request, Wording wording, boolean languageChosen) {
  /// The language comes from `?lang=`, otherwise from the cookie of an earlier choice, otherwise
  /// from the browser.
  public static Visit of(Request request, PageSettings settings, Instant now) {
    Language chosen = language(request.query("lang"));
    Language kept =
        chosen == null ? language(request.cookie(PageSettings.LANGUAGE_COOKIE)) : chosen;
    Language language = kept == null ? request.language() : kept;
    Wording wording =
        new Wording(Dictionary.of(language), settings.currency(), settings.zone(), now);
    return new Visit(request, wording, chosen != null);
  }

  public Visit ofConsole() {
    Dictionary words = Dictionary.console(language());
    return new Visit(
        request,
        new Wording(words, wording.defaultCurrency(), wording.zone(), wording.now()),
        languageChosen);
  }

  public Dictionary words() {
    return wording.words();
  }

  public Language language() {
    return words().language();
  }

  public Optional<SessionId> session() {
    return Optional.ofNullable(SessionOf.optional(request));
  }

  private static @Nullable Language language(@Nullable String tag) {
    return tag == null || tag.isBlank() || tag.equals("*") ? null : Languages.of(tag);
  }
}
