package fairgate.link.code;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Which query parameters of the short address are added to the target. Parameters that the target
/// has itself stay as they are.
public enum ForwardQuery {
  NONE,
  /// Those of campaigns: `utm_source` and others.
  UTM,
  ALL;

  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  /// The parameter of a link that was opened from the preview. It is not for targets.
  public static final String FOLLOW = "follow";

  /// The value in JSON, CSV and the database.
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// The choice of a text; empty if it is none.
  public static Optional<ForwardQuery> of(String text) {
    return Arrays.stream(values()).filter(each -> each.text().equals(text)).findFirst();
  }

  /// The target with the parameters of a request. Without them if it were longer than
  /// [TargetUrl#MAX_SENT].
  ///
  /// @param query as sent, in ASCII and percent-encoded, without the question mark
  public String add(String target, String query) {
    if (this == NONE) {
      return target;
    }
    int mark = target.indexOf('#');
    String base = mark < 0 ? target : target.substring(0, mark);
    int own = base.indexOf('?');
    Set<String> names =
        own < 0
            ? Set.of()
            : Arrays.stream(base.substring(own + 1).split("&", -1))
                .map(ForwardQuery::name)
                .collect(Collectors.toSet());
    String added =
        Arrays.stream(query.split("&", -1))
            .filter(part -> !part.isEmpty() && passes(name(part)) && !names.contains(name(part)))
            .map(ForwardQuery::encoded)
            .collect(Collectors.joining("&"));
    if (added.isEmpty()) {
      return target;
    }
    String glue = own < 0 ? "?" : base.endsWith("?") || base.endsWith("&") ? "" : "&";
    String whole = base + glue + added + target.substring(base.length());
    return whole.length() > TargetUrl.MAX_SENT ? target : whole;
  }

  private boolean passes(String name) {
    return this == ALL ? !name.equals(FOLLOW) : name.toLowerCase(Locale.ROOT).startsWith("utm_");
  }

  private static String name(String part) {
    int end = part.indexOf('=');
    String name = end < 0 ? part : part.substring(0, end);
    try {
      return URLDecoder.decode(name, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException _) {
      return name;
    }
  }

  /// With the characters percent-encoded that programs send, but addresses may not have.
  private static String encoded(String part) {
    StringBuilder out = new StringBuilder(part.length());
    for (int i = 0; i < part.length(); i++) {
      char c = part.charAt(i);
      if ("\"<>^`{|}".indexOf(c) >= 0) {
        out.append('%').append(HEX.toHexDigits((byte) c));
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }
}
