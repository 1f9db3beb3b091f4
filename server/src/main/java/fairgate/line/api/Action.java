package fairgate.line.api;

import fairgate.platform.json.JsonText;

/// What a button or a quick reply does when it is tapped. Labels are cut to the 20 characters LINE
/// allows.
public sealed interface Action {
  /// The longest label, in characters.
  int LABEL = 20;

  /// The longest postback data, in characters.
  int DATA = 300;

  /// Sends the data to the webhook; the chat shows the label as if it had been typed.
  record Post(String label, String data) implements Action {
    public Post {
      if (data.length() > DATA) {
        throw new IllegalArgumentException("postback data is longer than " + DATA);
      }
    }
  }

  /// Types the text for the user.
  record Say(String label, String text) implements Action {}

  /// Asks the user for his location; quick replies only.
  record Where(String label) implements Action {}

  /// Opens an address.
  record Open(String label, String uri) implements Action {}

  /// The action as LINE wants it.
  default JsonText json() {
    return switch (this) {
      case Post(String label, String data) ->
          JsonText.object()
              .put("type", "postback")
              .put("label", cut(label, LABEL))
              .put("data", data)
              .put("displayText", cut(label, DATA));
      case Say(String label, String text) ->
          JsonText.object()
              .put("type", "message")
              .put("label", cut(label, LABEL))
              .put("text", cut(text, DATA));
      case Where(String label) ->
          JsonText.object().put("type", "location").put("label", cut(label, LABEL));
      case Open(String label, String uri) ->
          JsonText.object().put("type", "uri").put("label", cut(label, LABEL)).put("uri", uri);
    };
  }

  /// The text, ended with a mark where it is longer than so many UTF-16 units; never in the middle
  /// of a character.
  static String cut(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(most - 2)) ? most - 2 : most - 1;
    return text.substring(0, end) + '…';
  }
}
