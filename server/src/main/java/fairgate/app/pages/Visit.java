package fairgate.app.pages;

import fairgate.kernel.SessionId;
import fairgate.platform.http.Request;
import fairgate.platform.text.Language;
import fairgate.platform.text.Languages;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One request for a page: who asks, and in which language he reads.
record Visit(Request request, Wording wording, boolean languageChosen) {
  /// The language is that of `?lang=`, else of the cookie an earlier choice left, else the
  /// browser's.
  static Visit of(Request request, String currency, Instant now) {
    Language chosen = language(request.query("lang"));
    Language kept =
        chosen == null ? language(request.cookie(PageSettings.LANGUAGE_COOKIE)) : chosen;
    Language language = kept == null ? request.language() : kept;
    Wording wording = new Wording(Dictionary.of(language), currency, now);
    return new Visit(request, wording, chosen != null);
  }

  Dictionary words() {
    return wording.words();
  }

  Language language() {
    return words().language();
  }

  /// The place named by the cookie.
  Optional<SessionId> session() {
    return Optional.ofNullable(request.cookie(PageSettings.SESSION_COOKIE))
        .filter(SessionId::isValid)
        .map(SessionId::new);
  }

  private static @Nullable Language language(@Nullable String tag) {
    return tag == null || tag.isBlank() || tag.equals("*") ? null : Languages.of(tag);
  }
}
