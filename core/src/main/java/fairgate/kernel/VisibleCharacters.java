package fairgate.kernel;

/// Characters with a visible glyph: no spaces, controls or combining marks, and no blank letters.
public final class VisibleCharacters {
  /// Fillers of Hangul, and the braille pattern without dots.
  private static final String BLANK_LETTERS = "\u115f\u1160\u3164\uffa0\u2800";

  private VisibleCharacters() {}

  public static boolean isVisible(int point) {
    return switch (Character.getType(point)) {
      case Character.SPACE_SEPARATOR,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.CONTROL,
          Character.FORMAT,
          Character.NON_SPACING_MARK,
          Character.UNASSIGNED ->
          false;
      default -> BLANK_LETTERS.indexOf(point) < 0;
    };
  }
}
