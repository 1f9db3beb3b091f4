package fairgate.sale;

import fairgate.catalog.BuyerField;
import fairgate.kernel.BidiControls;
import fairgate.kernel.Word;
import fairgate.platform.http.InvalidRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What a buyer entered, checked field by field.
///
/// @param values by the key of the field, without surrounding blanks; empty ones are left out
/// @param problems empty when the values may be kept
public record DetailsInput(Map<String, String> values, List<Problem> problems) {
  private static final Pattern EMAIL = Pattern.compile("[^@\\s]+@[^@\\s.]+(?:\\.[^@\\s.]+)+");
  private static final Pattern TELEPHONE = Pattern.compile("\\+?[0-9][0-9 ().-]+");
  private static final int LEAST_DIGITS = 6;

  public DetailsInput {
    values = Map.copyOf(values);
    problems = List.copyOf(problems);
  }

  public enum Reason implements Word {
    MISSING,
    TOO_LONG,
    NOT_LINE,
    DIRECTION_CONTROL,
    NOT_EMAIL,
    NOT_TELEPHONE
  }

  public record Problem(BuyerField field, Reason reason) {
    public InvalidRequest refusal() {
      String key = field.key();
      int max = field.kind().maxLength();
      return switch (reason) {
        case MISSING -> new InvalidRequest(key, "missing");
        case TOO_LONG -> new InvalidRequest(key, "bad_length", 1, max);
        case NOT_LINE -> new InvalidRequest(key, "not_line", max);
        case DIRECTION_CONTROL -> new InvalidRequest(key, "direction_control");
        case NOT_EMAIL -> new InvalidRequest(key, "not_email");
        case NOT_TELEPHONE -> new InvalidRequest(key, "not_telephone");
      };
    }
  }

  /// Reads the fields that a product asks for.
  ///
  /// @param given the value of a key; null for none
  public static DetailsInput read(
      List<BuyerField> fields, Function<String, @Nullable String> given) {
    Map<String, String> values = new LinkedHashMap<>();
    List<Problem> problems = new ArrayList<>();
    for (BuyerField field : fields) {
      String entered = given.apply(field.key());
      String value = entered == null ? "" : entered.replace("\r\n", "\n").strip();
      reason(field, value).ifPresent(reason -> problems.add(new Problem(field, reason)));
      if (!value.isEmpty()) {
        values.put(field.key(), value);
      }
    }
    return new DetailsInput(values, problems);
  }

  private static Optional<Reason> reason(BuyerField field, String value) {
    if (value.isEmpty()) {
      return field.required() ? Optional.of(Reason.MISSING) : Optional.empty();
    }
    if (value.codePointCount(0, value.length()) > field.kind().maxLength()) {
      return Optional.of(Reason.TOO_LONG);
    }
    boolean lines = field.kind() == BuyerField.Kind.ADDRESS;
    if (value.chars().anyMatch(c -> Character.isISOControl(c) && !(lines && c == '\n'))) {
      return Optional.of(Reason.NOT_LINE);
    }
    if (BidiControls.in(value)) {
      return Optional.of(Reason.DIRECTION_CONTROL);
    }
    return switch (field.kind()) {
      case EMAIL ->
          EMAIL.matcher(value).matches() ? Optional.empty() : Optional.of(Reason.NOT_EMAIL);
      case PHONE ->
          TELEPHONE.matcher(value).matches() && digits(value) >= LEAST_DIGITS
              ? Optional.empty()
              : Optional.of(Reason.NOT_TELEPHONE);
      case NAME, ADDRESS, TEXT -> Optional.empty();
    };
  }

  private static long digits(String text) {
    return text.chars().filter(c -> c >= '0' && c <= '9').count();
  }
}
