package fairgate.draw.leaf;

import fairgate.draw.tlog.StrictText;
import fairgate.platform.json.JsonObject;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Writes parsed JSON in the canonical form of RFC 8785. Numbers are integers from 0 to 2^53 - 1.
final class CanonicalJson {
  private final StringBuilder text = new StringBuilder();
  private boolean isRepresentable = true;

  private CanonicalJson() {}

  /// The canonical form; empty if there is another number.
  static Optional<String> of(JsonObject object) {
    CanonicalJson json = new CanonicalJson();
    json.object(object);
    return json.isRepresentable ? Optional.of(json.text.toString()) : Optional.empty();
  }

  private void object(JsonObject object) {
    text.append('{');
    String separator = "";
    // String's order is that of UTF-16 code units.
    for (String name : object.names().stream().sorted().toList()) {
      text.append(separator);
      string(name);
      text.append(':');
      value(object.get(name));
      separator = ",";
    }
    text.append('}');
  }

  private void value(@Nullable Object value) {
    switch (value) {
      case null -> text.append("null");
      case String string -> string(string);
      case Boolean bool -> text.append(bool);
      case Long number when number >= 0 && number <= StrictText.MAX_NUMBER -> text.append(number);
      case JsonObject object -> object(object);
      case List<?> list -> list(list);
      default -> isRepresentable = false;
    }
  }

  private void list(List<?> list) {
    text.append('[');
    String separator = "";
    for (Object each : list) {
      text.append(separator);
      value(each);
      separator = ",";
    }
    text.append(']');
  }

  private void string(String string) {
    text.append('"');
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      switch (c) {
        case '"' -> text.append("\\\"");
        case '\\' -> text.append("\\\\");
        case '\b' -> text.append("\\b");
        case '\f' -> text.append("\\f");
        case '\n' -> text.append("\\n");
        case '\r' -> text.append("\\r");
        case '\t' -> text.append("\\t");
        default -> text.append(c < ' ' ? "\\u%04x".formatted((int) c) : String.valueOf(c));
      }
    }
    text.append('"');
  }
}
