package fairgate.app.pages;

import fairgate.platform.http.Request;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// The fields of an `application/x-www-form-urlencoded` body.
final class FormBody {
  private FormBody() {}

  /// The first value of a field; empty when absent or malformed.
  static Optional<String> field(Request request, String name) {
    String body = new String(request.body(), StandardCharsets.UTF_8);
    for (String pair : body.split("&", -1)) {
      int cut = pair.indexOf('=');
      if (cut > 0 && pair.substring(0, cut).equals(name)) {
        try {
          return Optional.of(URLDecoder.decode(pair.substring(cut + 1), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException _) {
          return Optional.empty();
        }
      }
    }
    return Optional.empty();
  }
}
