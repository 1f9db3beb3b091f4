package fairgate.app.pages;

import fairgate.platform.http.Method;
import fairgate.platform.http.Request;
import org.jspecify.annotations.Nullable;

/// The page to which a visitor returns after signing in: a path on our own site.
final class ReturnPath {
  /// The parameter of pages, and the field of forms.
  static final String NAME = "next";

  private static final int MAX_LENGTH = 300;

  private ReturnPath() {}

  /// The return path of a request; empty for none.
  static String of(Request request) {
    return request.method() == Method.POST
        ? safe(FormBody.field(request, NAME).orElse(null))
        : safe(request.query(NAME));
  }

  /// The text if it is a path on our own site; otherwise empty. Browsers read `//host` and `/\host`
  /// as addresses of other sites, and ignore some control characters.
  static String safe(@Nullable String text) {
    if (text == null || text.length() > MAX_LENGTH || !text.startsWith("/")) {
      return "";
    }
    boolean plain = text.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '\\');
    return plain && !text.startsWith("//") ? text : "";
  }
}
