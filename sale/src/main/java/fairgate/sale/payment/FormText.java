package fairgate.sale.payment;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/// Reads and writes `application/x-www-form-urlencoded`.
final class FormText {
  private FormText() {}

  static String of(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(field -> encoded(field.getKey()) + '=' + encoded(field.getValue()))
        .collect(Collectors.joining("&"));
  }

  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /// The fields in their order; the first of several with one name counts. Throws
  /// IllegalArgumentException when an escape is malformed.
  static Map<String, String> parse(String text) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (String pair : text.split("&", -1)) {
      int cut = pair.indexOf('=');
      if (cut > 0) {
        fields.putIfAbsent(decoded(pair.substring(0, cut)), decoded(pair.substring(cut + 1)));
      }
    }
    return fields;
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
