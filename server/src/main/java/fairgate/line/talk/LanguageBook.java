package fairgate.line.talk;

import fairgate.platform.text.Language;

/// Who reads which language.
public interface LanguageBook {
  /// The chat's language: what its user chose, else that of his LINE, else the default. May block.
  Language of(Chat chat);

  /// The user has chosen.
  void choose(String userId, Language language);
}
