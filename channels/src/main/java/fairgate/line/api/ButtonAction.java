package fairgate.line.api;

import fairgate.platform.json.JsonText;

/// The action of a button or quick reply. Labels are cut to the 20 characters that LINE allows.
public sealed interface ButtonAction {
  int LABEL = 20;

  int DATA = 300;

  /// Sends the data to the webhook. The chat shows the label as the user's message.
  record Post(String label, String data) implements ButtonAction {
    public Post {
      if (data.length() > DATA) {
        throw new IllegalArgumentException("postback data is longer than " + DATA);
      }
    }
  }

  /// Sends the text as the user's message.
  record SendText(String label, String text) implements ButtonAction {}

  /// Asks the user for a location. Quick replies only.
  record AskLocation(String label) implements ButtonAction {}

  record OpenUri(String label, String uri) implements ButtonAction {}

  default JsonText json() {
    return switch (this) {
      case Post(String label, String data) ->
          JsonText.object()
              .put("type", "postback")
              .put("label", cut(label, LABEL))
              .put("data", data)
              .put("displayText", cut(label, DATA));
      case SendText(String label, String text) ->
          JsonText.object()
              .put("type", "message")
              .put("label", cut(label, LABEL))
              .put("text", cut(text, DATA));
      case AskLocation(String label) ->
          JsonText.object().put("type", "location").put("label", cut(label, LABEL));
      case OpenUri(String label, String uri) ->
          JsonText.object().put("type", "uri").put("label", cut(label, LABEL)).put("uri", uri);
    };
  }

  /// Cuts a text to a number of UTF-16 units, with an ellipsis at the end, and never within a
  /// surrogate pair.
  static String cut(String text, int max) {
    if (text.length() <= max) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(max - 2)) ? max - 2 : max - 1;
    return text.substring(0, end) + '…';
  }
}
