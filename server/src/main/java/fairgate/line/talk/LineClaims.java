package fairgate.line.talk;

import fairgate.platform.text.Language;

/// Where redemption codes are claimed; wired to the feature that issues them.
@FunctionalInterface
public interface LineClaims {
  /// Claims the codes of the order whose number is in the text. The claimant counts as a device of
  /// its own, with the same limits as on the web; a repeat by him gives the same codes. May block.
  ///
  /// @param text what was pasted
  /// @param claimant a name for the user that is the same each time, and not his LINE id
  LineClaimOutcome claim(String text, String claimant, Language language);
}
