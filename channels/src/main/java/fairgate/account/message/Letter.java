package fairgate.account.message;

import fairgate.platform.text.Language;

/// An e-mail with a finished text, to be stored.
///
/// @param id unique
/// @param to an e-mail address
public record Letter(String id, String to, Language language, String subject, String text) {
  @Override
  public String toString() {
    return "Letter[id=%s]".formatted(id);
  }
}
