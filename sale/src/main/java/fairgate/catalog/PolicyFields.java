package fairgate.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.kernel.BidiControls;
import fairgate.kernel.Resemblance;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reads typed values from a JSON object and collects its problems. A wrong or missing value reads
/// as the fallback, so that all problems are found in one pass.
final class PolicyFields {
  private final JsonNode object;
  private final String prefix;
  private final List<PolicyProblem> problems;
  private final Set<String> asked = new HashSet<>();

  PolicyFields(JsonNode object, String prefix, List<PolicyProblem> problems) {
    this.object = object;
    this.prefix = prefix;
    this.problems = problems;
  }

  static PolicyFields of(JsonNode object) {
    return new PolicyFields(object, "", new ArrayList<>());
  }

  List<PolicyProblem> problems() {
    return problems;
  }

  void problem(String field, String problem, String... args) {
    problems.add(PolicyProblem.of(prefix + field, problem, args));
  }

  /// The field's value; null when it is missing or JSON null.
  private @Nullable JsonNode value(String field) {
    asked.add(field);
    JsonNode value = object.get(field);
    return value == null || value.isNull() ? null : value;
  }

  /// As `integer`, for a required field; 0 when it is missing or wrong.
  int requiredInteger(String field, int least, int max) {
    if (!object.has(field)) {
      problem(field, "out_of_range", Integer.toString(least), Integer.toString(max));
    }
    return integer(field, least, max, 0);
  }

  /// As `instant`, for a required field.
  @Nullable Instant requiredInstant(String field) {
    if (value(field) == null) {
      problem(field, "not_instant");
    }
    return instant(field);
  }

  /// A whole number; the fallback when the field is missing.
  int integer(String field, int least, int max, int fallback) {
    JsonNode value = value(field);
    if (value == null) {
      if (object.has(field)) {
        problem(field, "out_of_range", Integer.toString(least), Integer.toString(max));
      }
      return fallback;
    }
    if (!value.isIntegralNumber()
        || !value.canConvertToInt()
        || value.intValue() < least
        || value.intValue() > max) {
      problem(field, "out_of_range", Integer.toString(least), Integer.toString(max));
      return fallback;
    }
    return value.intValue();
  }

  /// Two whole numbers, the smaller one first.
  record Range(int least, int most) {}

  /// A required array of two whole numbers of which the second is not smaller.
  Range range(String field, int least, int max) {
    JsonNode value = value(field);
    if (value != null
        && value.size() == 2
        && value.path(0).isInt()
        && value.path(1).isInt()
        && value.path(0).intValue() >= least
        && value.path(0).intValue() <= value.path(1).intValue()
        && value.path(1).intValue() <= max) {
      return new Range(value.path(0).intValue(), value.path(1).intValue());
    }
    problem(field, "not_range", Integer.toString(least), Integer.toString(max));
    return new Range(least, max);
  }

  /// As `integer`, where JSON null means null and only a missing field means the fallback.
  @Nullable Integer optional(String field, int least, int max, @Nullable Integer fallback) {
    if (value(field) == null) {
      return object.has(field) ? null : fallback;
    }
    return integer(field, least, max, fallback == null ? least : fallback);
  }

  /// A text of one line, for a required field; empty when it is missing or wrong.
  String requiredText(String field, int longest) {
    JsonNode value = value(field);
    String text = value != null && value.isTextual() ? value.textValue().strip() : "";
    if (text.isEmpty()
        || text.codePointCount(0, text.length()) > longest
        || text.codePoints().anyMatch(Character::isISOControl)) {
      problem(field, "not_line", Integer.toString(longest));
      return "";
    }
    if (BidiControls.in(text)) {
      problem(field, "direction_control");
      return "";
    }
    return text;
  }

  String word(String field, List<String> words, String fallback) {
    JsonNode value = value(field);
    if (value == null && !object.has(field)) {
      return fallback;
    }
    if (value == null || !value.isTextual() || !words.contains(value.textValue())) {
      problem(field, "not_one_of", String.join(", ", words));
      return fallback;
    }
    return value.textValue();
  }

  /// An RFC 3339 instant with offset.
  @Nullable Instant instant(String field) {
    JsonNode value = value(field);
    if (value == null) {
      return null;
    }
    if (value.isTextual()) {
      try {
        Instant at = OffsetDateTime.parse(value.textValue()).toInstant();
        long year = at.getEpochSecond();
        // Years 2000 to 2200: all engines and pages can represent them.
        if (year >= 946_684_800L && year < 7_258_118_400L) {
          return at;
        }
      } catch (DateTimeException notATime) {
        // Falls through to the problem below.
      }
    }
    problem(field, "not_instant");
    return null;
  }

  /// The fields of an object; null when the field is missing.
  @Nullable PolicyFields object(String field) {
    JsonNode value = value(field);
    if (value != null && !value.isObject()) {
      problem(field, "not_object");
      return null;
    }
    return value == null ? null : new PolicyFields(value, prefix + field + ".", problems);
  }

  /// The members of an array of objects; empty when the field is missing.
  List<PolicyFields> objects(String field, int max) {
    JsonNode value = value(field);
    List<PolicyFields> members = new ArrayList<>();
    if (value == null) {
      return members;
    }
    if (!value.isArray() || value.size() > max) {
      problem(field, "too_many", Integer.toString(max));
      return members;
    }
    for (int i = 0; i < value.size(); i++) {
      String name = field + "[" + i + "]";
      if (value.get(i).isObject()) {
        members.add(new PolicyFields(value.get(i), prefix + name + ".", problems));
      } else {
        problem(name, "not_object");
      }
    }
    return members;
  }

  /// Reports each field that was not read, because it is usually misspelled.
  void refuseUnknown() {
    object
        .fieldNames()
        .forEachRemaining(
            name -> {
              if (!asked.contains(name)) {
                Resemblance.nearest(name, asked)
                    .ifPresentOrElse(
                        near -> problem(name, "unknown_field_near", near),
                        () -> problem(name, "unknown_field"));
              }
            });
  }
}
