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
/// the order's page. The form and the chat ask this class; `claim.js` does the same in the browser.
public final class OrderText {
  public static final int MAX_LENGTH = 4_000;

  private static final Pattern RUN = Pattern.compile("[A-Za-z0-9_-]{6,100}");

  private static final Pattern ORDER =
      Pattern.compile(
          "(订单|訂單|单号|單號|编号|編號|(?<![a-z])orders?(?![a-z]))(?: *(?:number|no|nr|id)(?![a-z]))?");

  /// Labels of other numbers on an order's page: parcel, payment.
  private static final Pattern OTHER =
      Pattern.compile(
          "(?:物流|快遞|快递|運單|运单|託運|托运|托運|貨運|货运|包裹|宅配|配送|寄件|追蹤|追踪|交易|支付|付款|發票|发票"
              + "|(?<![a-z])(?:tracking|parcel|waybill|shipment|shipping|delivery|invoice"
              + "|transaction|payment))"
              + "(?:[的訂订單单編编號号碼码 .#]|(?:order|number|no|nr|id|code)(?![a-z]))*");

  /// Text between a label and its number.
  private static final Pattern GAP = Pattern.compile("[^a-z0-9]{0,16}");

  private static final int LOOK_BACK = 40;

  private OrderText() {}

  /// The order number in a text, normalised; empty if there is none.
  ///
  /// In this order: the whole text, if it is a number of a platform; the first number of a platform
  /// after a label such as "order"; the first number of a platform; the number of an unknown format
  /// after such a label; the whole text, if it is a single word with a digit. A number with another
  /// label, such as that of a parcel, is not an order number.
  public static Optional<String> find(OrderNumberFormats shapes, String text) {
    return written(shapes, text).map(shapes::spelled);
  }

  private static Optional<String> written(OrderNumberFormats shapes, String text) {
    String cut = text.length() > MAX_LENGTH ? text.substring(0, MAX_LENGTH) : text;
    String whole = OrderNumberFormats.normalise(cut);
    if (isOfPlatform(shapes, whole)) {
      return Optional.of(whole);
    }
    String folded = fold(cut);
    String lower = folded.toLowerCase(Locale.ROOT);
    List<MatchResult> runs =
        RUN.matcher(folded).results().filter(run -> !isNamedOtherwise(lower, run)).toList();
    List<MatchResult> sure =
        runs.stream().filter(run -> isOfPlatform(shapes, run.group())).toList();
    List<MatchResult> named =
        (sure.isEmpty() ? runs : sure).stream().filter(run -> isNamed(lower, run)).toList();
    if (!named.isEmpty()) {
      return Optional.of(named.getFirst().group());
    }
    if (!sure.isEmpty()) {
      return Optional.of(sure.getFirst().group());
    }
    boolean oneWord = folded.strip().chars().noneMatch(Character::isWhitespace);
    return oneWord && hasDigit(whole) && !shapes.platformsOf(whole).isEmpty()
        ? Optional.of(whole)
        : Optional.empty();
  }

  /// Whether a text speaks of an order, with a number or without.
  public static boolean speaksOfOrder(String text) {
    return ORDER.matcher(fold(text).toLowerCase(Locale.ROOT)).find();
  }

  private static boolean isOfPlatform(OrderNumberFormats shapes, String number) {
    List<String> platforms = new ArrayList<>(shapes.platformsOf(shapes.spelled(number)));
    platforms.remove(OrderNumberFormats.GENERIC);
    return !platforms.isEmpty();
  }

  private static boolean isNamed(String lower, MatchResult run) {
    return hasDigit(run.group())
        && (run.group().toLowerCase(Locale.ROOT).startsWith("order")
            || nameEnd(ORDER, before(lower, run)) >= 0);
  }

  /// Of two names the nearer one counts; "物流單號" is the parcel's.
  private static boolean isNamedOtherwise(String lower, MatchResult run) {
    String before = before(lower, run);
    int other = nameEnd(OTHER, before);
    return other >= 0 && other >= nameEnd(ORDER, before);
  }

  private static String before(String lower, MatchResult run) {
    return lower.substring(Math.max(0, run.start() - LOOK_BACK), run.start());
  }

  /// Where the last such name ends, if nothing but a gap follows; else -1.
  private static int nameEnd(Pattern name, String before) {
    int end = -1;
    Matcher names = name.matcher(before);
    while (names.find()) {
      end = names.end();
    }
    return end >= 0 && GAP.matcher(before.substring(end)).matches() ? end : -1;
  }

  private static boolean hasDigit(String text) {
    return text.chars().anyMatch(Character::isDigit);
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
