package fairgate.line.talk;

import fairgate.line.api.Action;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import java.util.List;

/// What can be asked, as quick replies.
final class Menu {
  private Menu() {}

  static List<Action> quick(Language language) {
    return List.of(
        post(language, "sales"),
        post(language, "place"),
        new Action.Where(Messages.text(language, "line.label.location")),
        post(language, "claim"),
        post(language, "language"),
        post(language, "help"));
  }

  static List<Action> languages() {
    return List.of(
        new Action.Post("繁體中文", "action=speak&to=zh-Hant"),
        new Action.Post("简体中文", "action=speak&to=zh-Hans"),
        new Action.Post("English", "action=speak&to=en"));
  }

  static Action post(Language language, String action) {
    String label = Messages.text(language, "line.label." + action);
    return new Action.Post(label, "action=" + action);
  }
}
