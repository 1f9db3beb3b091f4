package fairgate.app.pages;

import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.text.Language;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A JSON object of the API with lenient accessors, and its text.
record Fields(String json, JsonObject object) {
  static Fields of(String json) {
    return new Fields(json, Json.parseObject(json));
  }

  /// A text; empty when absent.
  String text(String name) {
    return object.get(name) instanceof String text ? text : "";
  }

  /// A text of an object with texts by language: that of the language, else English, else any;
  /// empty when absent.
  String inLanguage(String name, Language language) {
    if (!(object.get(name) instanceof JsonObject texts)) {
      return "";
    }
    List<String> tags = new ArrayList<>(List.of(language.tag(), Language.EN.tag()));
    tags.addAll(texts.names());
    for (String tag : tags) {
      if (texts.get(tag) instanceof String text) {
        return text;
      }
    }
    return "";
  }

  boolean isTrue(String name) {
    return Boolean.TRUE.equals(object.get(name));
  }

  /// A number; the fallback when absent.
  long number(String name, long fallback) {
    return object.get(name) instanceof Long number ? number : fallback;
  }

  /// The objects of a list; empty when absent.
  List<Fields> list(String name) {
    return object.get(name) instanceof List<?> members
        ? members.stream()
            .filter(JsonObject.class::isInstance)
            .map(member -> new Fields("", (JsonObject) member))
            .toList()
        : List.of();
  }

  /// A time, as milliseconds since the epoch or as an ISO instant.
  Optional<Instant> moment(String name) {
    Object value = object.get(name);
    if (value instanceof Long millis && millis > 0) {
      return Optional.of(Instant.ofEpochMilli(millis));
    }
    if (value instanceof String text) {
      try {
        return Optional.of(Instant.parse(text));
      } catch (DateTimeParseException _) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }
}
