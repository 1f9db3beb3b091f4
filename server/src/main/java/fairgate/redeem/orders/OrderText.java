package fairgate.redeem.orders;

import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Finds the order number in whatever a buyer pastes: the number, a line of it, the whole text of
/// the order's page. `web/assets/claim.js` does the same in the browser.
public final class OrderText {
  /// The longest text that is looked through.
  public static final int LONGEST = 4_000;

  private static final Pattern RUN = Pattern.compile("[A-Za-z0-9_-]{6,100}");
  private static final Pattern WORD =
      Pattern.compile("(订单|訂單|单号|單號|编号|編號|order)( *(number|no|nr|id))?[^a-z0-9]{0,16}$");
  private static final int LOOK_BACK = 40;

  private OrderText() {}

  /// The order number, normalised; empty when there is none.
  ///
  /// All of the text, if it is a number of a platform; else the first number of a platform that
  /// stands behind a word such as order, else the first one; else what stands behind such a word
  /// and is a number of no platform in particular; else all of the text, if it is that and one
  /// word.
  public static Optional<String> find(PlatformShapes shapes, String text) {
    String cut = text.length() > LONGEST ? text.substring(0, LONGEST) : text;
    String whole = PlatformShapes.normalise(cut);
    if (isOfPlatform(shapes, whole)) {
      return Optional.of(whole);
    }
    String folded = fold(cut);
    List<MatchResult> runs = RUN.matcher(folded).results().toList();
    List<MatchResult> sure =
        runs.stream().filter(run -> isOfPlatform(shapes, run.group())).toList();
    List<MatchResult> named =
        (sure.isEmpty() ? runs : sure).stream().filter(run -> isNamed(folded, run)).toList();
    if (!named.isEmpty()) {
      return Optional.of(named.getFirst().group());
    }
    if (!sure.isEmpty()) {
      return Optional.of(sure.getFirst().group());
    }
    boolean oneWord = folded.strip().chars().noneMatch(Character::isWhitespace);
    return oneWord && !shapes.platformsOf(whole).isEmpty() ? Optional.of(whole) : Optional.empty();
  }

  private static boolean isOfPlatform(PlatformShapes shapes, String number) {
    List<String> platforms = new ArrayList<>(shapes.platformsOf(number));
    platforms.remove(PlatformShapes.GENERIC);
    return !platforms.isEmpty();
  }

  private static boolean isNamed(String text, MatchResult run) {
    String before = text.substring(Math.max(0, run.start() - LOOK_BACK), run.start());
    Matcher word = WORD.matcher(before.toLowerCase(Locale.ROOT));
    boolean digits = run.group().chars().anyMatch(Character::isDigit);
    return digits && word.find();
  }

  /// Full-width letters made plain, invisible ones dropped; blanks stay, for they part words.
  private static String fold(String text) {
    StringBuilder kept = new StringBuilder(text.length());
    Normalizer.normalize(text, Normalizer.Form.NFKC)
        .codePoints()
        .filter(c -> Character.getType(c) != Character.FORMAT)
        .forEach(kept::appendCodePoint);
    return kept.toString();
  }
}
