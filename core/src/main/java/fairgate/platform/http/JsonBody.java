package fairgate.platform.http;

import fairgate.kernel.BidiControls;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Typed access to the JSON object in a request body. Every accessor throws [InvalidRequest] with
/// the name of the field when the field is missing or has another type. Unknown fields are ignored.
/// Optional accessors treat null as absent.
public final class JsonBody {
  private final JsonObject json;
  private final String prefix;

  private JsonBody(JsonObject json, String prefix) {
    this.json = json;
    this.prefix = prefix;
  }

  /// Parses an object; throws [InvalidRequest] when the bytes are not a JSON object.
  public static JsonBody parse(byte[] body) {
    if (body.length == 0) {
      throw new InvalidRequest("", "empty_body");
    }
    try {
      return new JsonBody(Json.parseObject(body), "");
    } catch (JsonSyntaxException e) {
      throw new InvalidRequest("", e.problem().key());
    }
  }

  /// Whether the field is present and not null.
  public boolean has(String field) {
    return json.get(field) != null;
  }

  /// The names of all fields in their order.
  public List<String> names() {
    return json.names();
  }

  public String text(String field) {
    return required(field, optionalText(field));
  }

  /// Text with `min` to `max` characters (code points).
  public String text(String field, int min, int max) {
    return lengthChecked(field, text(field), min, max);
  }

  /// A name that people read: text of `min` to `max` characters (code points) that does not change
  /// its direction.
  public String name(String field, int min, int max) {
    String name = text(field, min, max);
    if (BidiControls.in(name)) {
      throw problem(field, "direction_control");
    }
    return name;
  }

  public @Nullable String optionalText(String field) {
    return switch (json.get(field)) {
      case null -> null;
      case String text -> text;
      case Object _ -> throw problem(field, "not_text");
    };
  }

  /// Text with `min` to `max` characters (code points); null when absent.
  public @Nullable String optionalText(String field, int min, int max) {
    String text = optionalText(field);
    return text == null ? null : lengthChecked(field, text, min, max);
  }

  /// An integer within the bounds, both included; `1.0` is none.
  public int integer(String field, int min, int max) {
    return Math.toIntExact(longInteger(field, min, max));
  }

  /// An integer, brought into the bounds.
  public int clampedInteger(String field, int min, int max) {
    return switch (json.get(field)) {
      case null -> throw missing(field);
      case Long value -> Math.clamp(value, min, max);
      case java.math.BigInteger value -> value.signum() > 0 ? max : min;
      case Object _ -> throw problem(field, "not_integer");
    };
  }

  public int optionalInteger(String field, int min, int max, int otherwise) {
    return has(field) ? integer(field, min, max) : otherwise;
  }

  /// An integer within the bounds, both included; `1.0` is none.
  public long longInteger(String field, long min, long max) {
    return switch (json.get(field)) {
      case null -> throw missing(field);
      case Long value when value >= min && value <= max -> value;
      case Long _, java.math.BigInteger _ -> throw problem(field, "out_of_range", min, max);
      case Object _ -> throw problem(field, "not_integer");
    };
  }

  public long optionalLongInteger(String field, long min, long max, long otherwise) {
    return has(field) ? longInteger(field, min, max) : otherwise;
  }

  /// A number within the bounds, both included, with or without a fraction.
  public double number(String field, double min, double max) {
    double value =
        switch (json.get(field)) {
          case null -> throw missing(field);
          case Number n -> n.doubleValue();
          case Object _ -> throw problem(field, "not_number");
        };
    if (value >= min && value <= max) {
      return value;
    }
    throw problem(field, "out_of_range", min, max);
  }

  public boolean flag(String field) {
    return switch (json.get(field)) {
      case null -> throw missing(field);
      case Boolean value -> value;
      case Object _ -> throw problem(field, "not_boolean");
    };
  }

  public boolean optionalFlag(String field, boolean otherwise) {
    return has(field) ? flag(field) : otherwise;
  }

  public JsonBody object(String field) {
    return required(field, optionalObject(field));
  }

  public @Nullable JsonBody optionalObject(String field) {
    return switch (json.get(field)) {
      case null -> null;
      case JsonObject value -> new JsonBody(value, prefix + field + '.');
      case Object _ -> throw problem(field, "not_object");
    };
  }

  /// A list of texts; empty when absent.
  public List<String> texts(String field) {
    List<String> all = new ArrayList<>();
    for (Object item : list(field)) {
      if (!(item instanceof String text)) {
        throw problem(field, "not_texts");
      }
      all.add(text);
    }
    return all;
  }

  /// The exception for a field of this object, with its full name, for further checks of the
  /// caller.
  public InvalidRequest problem(String field, String problemKey, Object... args) {
    return new InvalidRequest(prefix + field, problemKey, args);
  }

  private List<?> list(String field) {
    return switch (json.get(field)) {
      case null -> List.of();
      case List<?> items -> items;
      case Object _ -> throw problem(field, "not_list");
    };
  }

  private <T> T required(String field, @Nullable T value) {
    if (value == null) {
      throw missing(field);
    }
    return value;
  }

  private String lengthChecked(String field, String text, int min, int max) {
    int length = text.codePointCount(0, text.length());
    if (length < min || length > max) {
      throw problem(field, "bad_length", min, max);
    }
    return text;
  }

  private InvalidRequest missing(String field) {
    return problem(field, "missing");
  }
}
