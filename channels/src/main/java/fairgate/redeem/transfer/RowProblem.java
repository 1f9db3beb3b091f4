package fairgate.redeem.transfer;

import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import java.util.List;

/// Why a row is not imported.
///
/// @param key the rest of a key in `messages_*.properties` after `row.`
/// @param arguments what fills the message's `{0}`, `{1}`, ...
record RowProblem(String key, List<String> arguments) {
  RowProblem {
    arguments = List.copyOf(arguments);
  }

  static RowProblem of(String key, String... arguments) {
    return new RowProblem(key, List.of(arguments));
  }

  /// The sentence that tells a seller what to do.
  String text(Language language) {
    return Messages.text(language, "row." + key, arguments.toArray());
  }
}
