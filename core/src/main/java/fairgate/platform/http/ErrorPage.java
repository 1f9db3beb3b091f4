package fairgate.platform.http;

import fairgate.platform.text.Language;
import java.util.function.Function;

/// Renders the page that browsers receive instead of the error body.
@FunctionalInterface
public interface ErrorPage {
  /// The page for a refusal. It must not fail for a request whose head is malformed.
  ///
  /// @param status the HTTP status to answer with
  /// @param message the message of the error body in a language: a page may have another one than
  ///   `Accept-Language`
  Reply draw(Request request, int status, Refusal refusal, Function<Language, String> message);
}
