package fairgate.catalog;

import java.util.List;

/// One thing that is wrong with a product or policy an operator sent.
///
/// @param field by its name in JSON, with dots and indexes inside (`batches[2].quantity`)
/// @param problem key of the sentence that says what is expected
/// @param args what fills the sentence after the field
public record PolicyProblem(String field, String problem, List<String> args) {
  public PolicyProblem {
    args = List.copyOf(args);
  }

  static PolicyProblem of(String field, String problem, String... args) {
    return new PolicyProblem(field, problem, List.of(args));
  }
}
