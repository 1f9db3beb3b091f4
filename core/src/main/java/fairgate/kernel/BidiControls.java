package fairgate.kernel;

/// The invisible characters that change the direction of text (the Unicode property
/// `Bidi_Control`), such as U+202E. In a name they make pages, receipts and exports show other text
/// than was entered: `evil\u202Egnp.exe` is displayed as `evilexe.png`. They often come unnoticed
/// with copied text.
public final class BidiControls {
  private BidiControls() {}

  public static boolean in(String text) {
    return text.chars().anyMatch(BidiControls::isControl);
  }

  /// Whether a text for people contains a hidden character: one of these, or a control character
  /// other than a line feed and a tab.
  public static boolean areHidden(String text) {
    return text.codePoints().anyMatch(BidiControls::isHidden);
  }

  /// Whether a character is hidden, and could show people another text.
  public static boolean isHidden(int c) {
    return isControl(c) || (Character.isISOControl(c) && c != '\n' && c != '\t');
  }

  public static boolean isControl(int c) {
    return c == 0x061c // Arabic letter mark
        || c == 0x200e // left-to-right mark
        || c == 0x200f // right-to-left mark
        || (c >= 0x202a && c <= 0x202e) // embeddings, overrides, and their end
        || (c >= 0x2066 && c <= 0x2069); // isolates, and their end
  }
}
