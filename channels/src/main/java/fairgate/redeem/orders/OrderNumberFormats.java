package fairgate.redeem.orders;

import java.text.Normalizer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;

/// The order number formats of all platforms, as regular expressions. Order numbers are always
/// text: many have more digits than a floating-point number can hold.
public final class OrderNumberFormats {
  /// The platform of Fairgate's own orders.
  public static final String OWN = "fairgate";

  /// The platform of numbers that match no other platform.
  public static final String GENERIC = "generic";

  /// The platform of an order from the remote order system that names no platform.
  public static final String REMOTE = "remote";

  public static final int MAX_LENGTH = 100;

  /// The settings' default: the shapes of the source document, the real ones, and `generic`.
  public static final String DEFAULT =
      "fairgate=order_[0-9]{1,19}_[0-9a-z]{26}"
          + " taobao=TB\\d{13,}|\\d{18,19}"
          + " xiaohongshu=XHS\\d{12,}|P\\d{18}"
          + " douyin=DY\\d{12,}|\\d{19}"
          + " generic=[A-Za-z0-9_-]{6,64}";

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]{0,31}");

  private final Map<String, Pattern> shapes;

  private OrderNumberFormats(Map<String, Pattern> shapes) {
    this.shapes = shapes;
  }

  /// Parses `name=pattern name=pattern ...`, separated by spaces. Throws IllegalArgumentException
  /// with the reason if it is invalid.
  public static OrderNumberFormats of(String text) {
    Map<String, Pattern> shapes = new LinkedHashMap<>();
    for (String part : text.strip().split("\\s+", -1)) {
      int cut = part.indexOf('=');
      String name = cut < 0 ? part : part.substring(0, cut);
      if (cut < 0 || !NAME.matcher(name).matches()) {
        throw new IllegalArgumentException("expected platform=pattern, got " + part);
      }
      try {
        if (shapes.put(name, Pattern.compile(part.substring(cut + 1))) != null) {
          throw new IllegalArgumentException("the platform " + name + " is given twice");
        }
      } catch (PatternSyntaxException e) {
        throw new IllegalArgumentException(name + ": " + e.getDescription(), e);
      }
    }
    return new OrderNumberFormats(shapes);
  }

  /// An order number without artifacts of copying: full-width digits, spaces, invisible characters,
  /// quotation marks and a leading apostrophe.
  public static String normalise(String orderId) {
    String folded = Normalizer.normalize(orderId, Normalizer.Form.NFKC);
    StringBuilder kept = new StringBuilder(folded.length());
    folded
        .codePoints()
        .filter(
            c ->
                !Character.isWhitespace(c)
                    && !Character.isSpaceChar(c)
                    && Character.getType(c) != Character.FORMAT
                    && c != '\''
                    && c != '"')
        .forEach(kept::appendCodePoint);
    return kept.toString();
  }

  /// A normalised number in the case that its platform writes: `tb2026...` is typed where
  /// `TB2026...` is meant. As it is, when it is a number of a platform already, or of none in
  /// either case.
  public String spelled(String orderId) {
    return Stream.of(orderId, orderId.toUpperCase(Locale.ROOT), orderId.toLowerCase(Locale.ROOT))
        .filter(this::isOfPlatform)
        .findFirst()
        .orElse(orderId);
  }

  /// Whether the number is one of a platform in particular.
  private boolean isOfPlatform(String orderId) {
    return platformsOf(orderId).stream().anyMatch(name -> !name.equals(GENERIC));
  }

  public boolean knows(String platform) {
    return shapes.containsKey(platform);
  }

  /// The names of all platforms, in the order of the settings.
  public Set<String> names() {
    return new LinkedHashSet<>(shapes.keySet());
  }

  /// The patterns by platform, in the order of the settings, for the page's own search.
  public Map<String, String> patterns() {
    Map<String, String> patterns = new LinkedHashMap<>();
    shapes.forEach((name, shape) -> patterns.put(name, shape.pattern()));
    return patterns;
  }

  /// Whether a normalised number looks like one of the platform's.
  public boolean fits(String platform, String orderId) {
    Pattern shape = shapes.get(platform);
    return shape != null && orderId.length() <= MAX_LENGTH && shape.matcher(orderId).matches();
  }

  /// The platforms whose format this normalised number has, in the order of the settings; empty if
  /// it is not an order number.
  public List<String> platformsOf(String orderId) {
    List<String> fitting = new ArrayList<>();
    for (String platform : shapes.keySet()) {
      if (fits(platform, orderId)) {
        fitting.add(platform);
      }
    }
    return fitting;
  }
}
