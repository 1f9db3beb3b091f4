package fairgate.draw.tlog;

import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// JSON objects whose numbers every verifier reads in the same way: those that JavaScript
/// represents, in which 1.0 is 1.
public final class StrictJson {
  private StrictJson() {}

  /// Parses an object. Empty if it is malformed, or if a number is beyond plus or minus
  /// [StrictText#MAX_NUMBER].
  public static Optional<JsonObject> object(byte[] utf8) {
    try {
      return Optional.of(Json.parseObject(utf8)).filter(StrictJson::isRepresentable);
    } catch (JsonSyntaxException e) {
      return Optional.empty();
    }
  }

  private static boolean isRepresentable(@Nullable Object value) {
    return switch (value) {
      case Number number -> Math.abs(number.doubleValue()) <= StrictText.MAX_NUMBER;
      case JsonObject object ->
          object.names().stream().allMatch(name -> isRepresentable(object.get(name)));
      case List<?> list -> list.stream().allMatch(StrictJson::isRepresentable);
      case null, default -> true;
    };
  }

  /// The value of a whole number, also of 1.0; empty if the value is anything else.
  public static OptionalLong whole(@Nullable Object value) {
    if (value instanceof Number number && number.doubleValue() == Math.rint(number.doubleValue())) {
      return OptionalLong.of((long) number.doubleValue());
    }
    return OptionalLong.empty();
  }
}
