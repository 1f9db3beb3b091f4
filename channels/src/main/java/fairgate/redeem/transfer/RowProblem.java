package fairgate.redeem.transfer;

import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import java.util.List;

/// The reason for a refused row.
///
/// @param key the rest of a key of a message after `row.`
/// @param arguments for the message's `{0}`, `{1}`, ...
record RowProblem(String key, List<String> arguments) {
  private static final String OLDER = "older";

  RowProblem {
    arguments = List.copyOf(arguments);
  }

  /// An order has another status by a newer file.
  ///
  /// @param status one of [StatusWords#STATUSES]
  static RowProblem older(String order, String status) {
    return of(OLDER, order, status);
  }

  static RowProblem of(String key, String... arguments) {
    return new RowProblem(key, List.of(arguments));
  }

  /// The advice for the seller.
  String text(Language language) {
    Object[] words = arguments.toArray();
    if (key.equals(OLDER)) {
      words[1] = Messages.text(language, "import.status." + words[1]);
    }
    return Messages.text(language, "row." + key, words);
  }
}
