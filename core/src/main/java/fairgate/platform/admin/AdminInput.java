package fairgate.platform.admin;

import fairgate.kernel.Resemblance;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Method;
import fairgate.platform.http.Request;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The input of an admin route: the names of its query parameters and of the fields of its JSON
/// body. Unknown and repeated names are refused with 400 `INVALID_REQUEST`, because an ignored
/// value changes the operator's intention: a misspelt duration would make a ban permanent.
///
/// Every call that changes something accepts the query parameter `reason`, which is recorded.
///
/// Names inside a field, such as those of a product's policy, are checked by the parser of that
/// field. The body of a streaming route is not checked.
///
/// @param isDocument whether the body is a document that its own parser checks
public record AdminInput(List<String> parameters, List<String> fields, boolean isDocument) {
  private static final String REASON = "reason";
  public static final int LONGEST_REASON = 500;

  public static final AdminInput NONE = new AdminInput(List.of(), List.of(), false);

  public AdminInput {
    parameters = List.copyOf(parameters);
    fields = List.copyOf(fields);
  }

  public static AdminInput query(String... parameters) {
    return new AdminInput(Arrays.asList(parameters), List.of(), false);
  }

  public static AdminInput body(String... fields) {
    return new AdminInput(List.of(), Arrays.asList(fields), false);
  }

  /// The input of a route whose body is a document.
  public static AdminInput document(String... parameters) {
    return new AdminInput(Arrays.asList(parameters), List.of(), true);
  }

  /// A copy with additional parameters.
  public AdminInput and(List<String> more) {
    return new AdminInput(
        Stream.concat(parameters.stream(), more.stream()).toList(), fields, isDocument);
  }

  /// Throws [InvalidRequest] for the first unknown name, with the most similar known name, and for
  /// a repeated parameter. The JSON parser refuses repeated fields.
  public void check(Request request) {
    List<String> names = request.queryNames();
    refuseUnknown(
        request.method() == Method.GET
            ? names
            : names.stream().filter(name -> !name.equals(REASON)).toList(),
        parameters,
        "unknown_parameter");
    for (int i = 1; i < names.size(); i++) {
      if (names.subList(0, i).contains(names.get(i))) {
        throw new InvalidRequest(names.get(i), "repeated_parameter");
      }
    }
    String reason = request.query(REASON);
    if (reason != null && (reason.isBlank() || reason.length() > LONGEST_REASON)) {
      throw new InvalidRequest(REASON, "bad_length", 1, LONGEST_REASON);
    }
    if (request.body().length > 0 && !isDocument) {
      refuseUnknown(request.json().names(), fields, "unknown_field");
    }
  }

  /// The `reason` in the body of a call that needs one; a blank one is none.
  public static String reason(JsonBody body, int longest) {
    String reason = body.text(REASON, 1, longest);
    if (reason.isBlank()) {
      throw body.problem(REASON, "bad_length", 1, longest);
    }
    return reason;
  }

  private static void refuseUnknown(List<String> given, List<String> known, String problem) {
    for (String name : given) {
      if (!known.contains(name)) {
        Optional<String> near = Resemblance.nearest(name, known);
        throw near.map(other -> new InvalidRequest(name, problem + "_near", other))
            .orElseGet(() -> new InvalidRequest(name, problem));
      }
    }
  }
}
