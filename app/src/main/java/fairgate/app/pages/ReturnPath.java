package fairgate.app.pages;

import fairgate.platform.http.FormBody;
import fairgate.platform.http.Method;
import fairgate.platform.http.Request;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The page to which a visitor returns after signing in: a path on our own site.
final class ReturnPath {
  /// The parameter of pages, and the field of forms.
  static final String NAME = "next";

  private static final int MAX_LENGTH = 300;

  /// Pages of the console. The pages of the sign-in are none of them: following a link of another
  /// site must not start a step of it.
  private static final Pattern CONSOLE =
      Pattern.compile("/console(?!/(?:oidc|sign-|welcome))(?:/[\\w-]+)*(?:\\?.*)?");

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

  /// The text if it is the address of a page of the console; otherwise the console's first page.
  static String inConsole(@Nullable String text) {
    String path = safe(text);
    return CONSOLE.matcher(path).matches() ? path : ConsolePage.PATH;
  }

  /// The address of a sign-in of operators that returns to a page of the console.
  static String after(String signIn, String page) {
    return page.equals(ConsolePage.PATH)
        ? signIn
        : signIn + '?' + NAME + '=' + URLEncoder.encode(page, StandardCharsets.UTF_8);
  }
}
