package fairgate.redeem.transfer;

import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import java.util.List;

/// The reason for a refused row.
///
/// @param key the rest of a key in `messages_*.properties` after `row.`
/// @param arguments for the message's `{0}`, `{1}`, ...
record RowProblem(String key, List<String> arguments) {
  RowProblem {
    arguments = List.copyOf(arguments);
  }

  static RowProblem of(String key, String... arguments) {
    return new RowProblem(key, List.of(arguments));
  }

  /// The advice for the seller.
  String text(Language language) {
    return Messages.text(language, "row." + key, arguments.toArray());
  }
}
