package fairgate.line.talk;

import fairgate.line.api.ButtonAction;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import java.util.List;

/// The quick replies of the main menu.
final class Menu {
  private Menu() {}

  static List<ButtonAction> quick(Language language) {
    return List.of(
        post(language, "sales"),
        post(language, "place"),
        new ButtonAction.AskLocation(Messages.text(language, "line.label.location")),
        post(language, "claim"),
        post(language, "language"),
        post(language, "help"));
  }

  static List<ButtonAction> languages() {
    return List.of(
        new ButtonAction.Post("繁體中文", "action=speak&to=zh-Hant"),
        new ButtonAction.Post("简体中文", "action=speak&to=zh-Hans"),
        new ButtonAction.Post("English", "action=speak&to=en"));
  }

  static ButtonAction post(Language language, String action) {
    String label = Messages.text(language, "line.label." + action);
    return new ButtonAction.Post(label, "action=" + action);
  }

  /// The end index of a page. One position is reserved for the button of the next page, unless all
  /// items fit on one page.
  static int pageEnd(int start, int total, int max) {
    return start == 0 && total <= max ? total : Math.min(total, start + max - 1);
  }
}
