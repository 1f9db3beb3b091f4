package fairgate.catalog;

import fairgate.platform.http.InvalidRequest;
import java.util.List;
import java.util.Set;

/// A problem of a product or policy that an operator sent.
///
/// @param field by its name in JSON, with dots and indexes inside (`batches[2].quantity`)
/// @param problem the rest of a key of the message bundles after `invalid.`
/// @param args what fills the sentence after the field
public record PolicyProblem(String field, String problem, List<String> args) {
  public PolicyProblem {
    args = List.copyOf(args);
    if (!KEYS.contains(problem)) {
      throw new IllegalArgumentException("no such problem: " + problem);
    }
  }

  static final Set<String> KEYS =
      Set.of(
          "malformed_json",
          "not_object",
          "not_instant",
          "not_one_of",
          "out_of_range",
          "no_room",
          "bad_length",
          "currency",
          "unknown_field",
          "unknown_field_near",
          "too_many",
          "after",
          "during_sale",
          "needs_identity",
          "needs_payment",
          "amount_or_percent",
          "needs_opening",
          "not_range",
          "not_in_draw",
          "not_line",
          "direction_control",
          "used_twice",
          "shares_too_large",
          "not_before_tier",
          "batches_sum",
          "nothing_to_pay",
          "stock_is_planned",
          "draw_is_on",
          "text_too_deep",
          "not_https",
          "not_boolean",
          "not_word",
          "missing");

  /// The first of these problems as an answer to the request.
  ///
  /// @param prefix the path of the fields' parent with a dot at its end; empty for none
  public static InvalidRequest invalid(String prefix, List<PolicyProblem> problems) {
    PolicyProblem first = problems.getFirst();
    String field = first.field().isEmpty() ? prefix.replace(".", "") : prefix + first.field();
    return new InvalidRequest(field, first.problem(), first.args().toArray());
  }

  static PolicyProblem of(String field, String problem, String... args) {
    return new PolicyProblem(field, problem, List.of(args));
  }
}
