package fairgate.line.talk;

import fairgate.platform.text.Language;

/// The languages of the users.
public interface LanguageStore {
  /// The language of the chat: the user's choice, else the language of the LINE app, else the
  /// default. May block.
  Language of(Chat chat);

  /// Stores the user's choice.
  void choose(String userId, Language language);
}
