package fairgate.line.talk;

import fairgate.platform.text.Language;
import org.jspecify.annotations.Nullable;

/// Where redemption codes are claimed; wired to the feature that issues them.
@FunctionalInterface
public interface LineClaims {
  /// Claims the code of the order whose number is in the text. The claimant counts as a device and
  /// an address of its own, with the same limits as on the web; a repeat by him gives the same
  /// code. May block.
  LineClaimOutcome claim(Attempt attempt, Language language);

  /// One attempt.
  ///
  /// @param text what was pasted
  /// @param product what was bought; null while nobody has said
  /// @param claimant a name for the user that is the same each time, and not his LINE id
  record Attempt(String text, @Nullable String product, String claimant) {}
}
