package fairgate.link.code;

import fairgate.kernel.ClientAddress;
import java.net.IDN;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/// A valid target: an absolute http or https address in ASCII, with its host in lower case and in
/// punycode, so that a homograph is recognizable.
///
/// @param text the whole address; at most [#MAX_SENT] characters
/// @param host without port and trailing dot; IPv6 in brackets
public record TargetUrl(String text, String host) {
  /// The longest address, as a person writes it: a percent-encoded character is one.
  public static final int MAX_LENGTH = 2_048;

  /// The longest address in ASCII. Proxies and programs refuse replies with a longer header.
  public static final int MAX_SENT = 8_000;

  private static final Pattern NUMBER = Pattern.compile("[0-9]+|0x[0-9a-f]*");
  private static final Pattern IPV4 =
      Pattern.compile("((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(\\.(?!$)|$)){4}");

  /// One character in UTF-8, percent-encoded.
  private static final Pattern ESCAPES =
      Pattern.compile("%[0-7][0-9A-Fa-f]|%[C-Fc-f][0-9A-Fa-f](%[89ABab][0-9A-Fa-f]){1,3}");

  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  /// Why an address is none a link may lead to.
  public enum Problem {
    TOO_LONG,
    TOO_LONG_ENCODED,
    NOT_HTTP,
    USER_INFO,
    BAD_CHARACTER,
    BAD_HOST,
    OWN_DOMAIN;

    /// The rest of a message's key after `invalid.`.
    public String key() {
      return "url_" + name().toLowerCase(Locale.ROOT);
    }
  }

  public static final class Refused extends Exception {
    @java.io.Serial private static final long serialVersionUID = 1L;
    private final Problem problem;

    Refused(Problem problem) {
      super(problem.name(), null, false, false);
      this.problem = problem;
    }

    public Problem problem() {
      return problem;
    }
  }

  public static TargetUrl parse(String given) throws Refused {
    if (written(given) > MAX_LENGTH) {
      throw new Refused(Problem.TOO_LONG);
    }
    for (int i = 0; i < given.length(); i++) {
      char c = given.charAt(i);
      // Browsers treat a backslash as a slash and remove tabs and line ends, so the visible address
      // would not be the target.
      if (c <= ' ' || (c >= 0x7f && c <= 0xa0) || "\\\"<>".indexOf(c) >= 0 || isHidden(c)) {
        throw new Refused(Problem.BAD_CHARACTER);
      }
    }
    int colon = given.indexOf(':');
    String scheme = colon < 0 ? "" : given.substring(0, colon).toLowerCase(Locale.ROOT);
    if (!(scheme.equals("http") || scheme.equals("https")) || !given.startsWith("//", colon + 1)) {
      throw new Refused(Problem.NOT_HTTP);
    }
    int from = colon + 3;
    int end = from;
    while (end < given.length() && "/?#".indexOf(given.charAt(end)) < 0) {
      end++;
    }
    String authority = given.substring(from, end);
    if (authority.indexOf('@') >= 0) {
      throw new Refused(Problem.USER_INFO);
    }
    String host = host(authority);
    String port = authority.substring(hostEnd(authority));
    checkPort(port);
    String rest = ascii(given.substring(end));
    String text = scheme + "://" + host + port + (rest.startsWith("/") ? rest : "/" + rest);
    if (text.length() > MAX_SENT) {
      throw new Refused(Problem.TOO_LONG_ENCODED);
    }
    return new TargetUrl(text, host);
  }

  /// The number of characters, where a percent-encoded one counts as one, whatever its bytes.
  private static long written(String given) {
    return ESCAPES.matcher(given).replaceAll("x").codePoints().count();
  }

  /// A host in the form in which links name theirs; empty if it is none, or has a port or a path.
  public static Optional<String> readHost(String given) {
    try {
      TargetUrl address = parse("https://" + given + "/");
      return address.text().equals("https://" + address.host() + "/")
          ? Optional.of(address.host())
          : Optional.empty();
    } catch (Refused _) {
      return Optional.empty();
    }
  }

  public static String hostOf(String parsed) {
    int from = parsed.indexOf("://") + 3;
    int end = from;
    while (end < parsed.length() && "/?#".indexOf(parsed.charAt(end)) < 0) {
      end++;
    }
    String authority = parsed.substring(from, end);
    return authority.substring(0, hostEnd(authority));
  }

  /// Invisible characters, or ones that change the display: text direction, joiners, unpaired
  /// surrogates.
  private static boolean isHidden(char c) {
    return (c >= 0x200b && c <= 0x200f)
        || (c >= 0x2028 && c <= 0x202e)
        || (c >= 0x2060 && c <= 0x206f)
        || c == 0xfeff
        || c == 0xfffd;
  }

  private static int hostEnd(String authority) {
    int bracket = authority.startsWith("[") ? authority.indexOf(']') : 0;
    int colon = authority.indexOf(':', Math.max(0, bracket));
    return colon < 0 ? authority.length() : colon;
  }

  private static String host(String authority) throws Refused {
    String given = authority.substring(0, hostEnd(authority));
    if (given.startsWith("[")) {
      return ipv6(given);
    }
    String host = HostName.ascii(given).orElseThrow(() -> new Refused(Problem.BAD_HOST));
    if (host.isEmpty()
        || host.length() > 253
        || !host.matches("[a-z0-9_-]+(\\.[a-z0-9_-]+)*")
        || isDisguisedNumber(host)) {
      throw new Refused(Problem.BAD_HOST);
    }
    return host;
  }

  /// An IPv6 address in brackets, in canonical form. An address that contains an IPv4 address is
  /// refused, because lists of hosts would not match it.
  private static String ipv6(String given) throws Refused {
    ClientAddress address =
        given.matches("\\[[0-9a-fA-F:.]{2,45}]")
            ? ClientAddress.parse(given.substring(1, given.length() - 1))
            : null;
    if (address == null || address.isV4()) {
      throw new Refused(Problem.BAD_HOST);
    }
    return '[' + address.text() + ']';
  }

  /// Browsers treat a host whose last part is a number as an IPv4 address, in any form
  /// (`2130706433`, `0x7f.1`); lists of hosts would not match it.
  private static boolean isDisguisedNumber(String host) {
    return NUMBER.matcher(host.substring(host.lastIndexOf('.') + 1)).matches()
        && !IPV4.matcher(host).matches();
  }

  private static void checkPort(String port) throws Refused {
    if (port.isEmpty()) {
      return;
    }
    if (!port.matches(":[0-9]{1,5}")) {
      throw new Refused(Problem.BAD_HOST);
    }
    int number = Integer.parseInt(port.substring(1));
    if (number < 1 || number > 65_535) {
      throw new Refused(Problem.BAD_HOST);
    }
  }

  /// Path, query and fragment, with invalid characters percent-encoded as browsers do.
  private static String ascii(String text) {
    StringBuilder out = new StringBuilder(text.length());
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      if (b > 0 && "^`{|}".indexOf(b) < 0) {
        out.append((char) b);
      } else {
        out.append('%').append(HEX.toHexDigits(b));
      }
    }
    return out.toString();
  }

  /// International host names in ASCII, as browsers read them (UTS 46, nontransitional).
  static final class HostName {
    private static final int MAX_LABEL = 63;

    /// Letters that programs put into lower case in different ways.
    private static final Pattern AMBIGUOUS = Pattern.compile("[\\x{130}\\x{1e9e}\\p{IsCherokee}]");

    private HostName() {}

    /// The name in lower case and in punycode, without a trailing dot.
    ///
    /// Empty if it is no name, or one that browsers may convert to another. Its `xn--` form is
    /// accepted.
    static Optional<String> ascii(String given) {
      boolean international = given.chars().anyMatch(c -> c > 0x7f);
      if (international && AMBIGUOUS.matcher(given).find()) {
        return Optional.empty();
      }
      String name = international ? mapped(given) : given.toLowerCase(Locale.ROOT);
      StringJoiner labels = new StringJoiner(".");
      for (String label : name.replaceFirst("\\.$", "").split("\\.", -1)) {
        Optional<String> ascii = label(label);
        if (ascii.isEmpty()) {
          return Optional.empty();
        }
        labels.add(ascii.get());
      }
      return Optional.of(labels.toString());
    }

    private static Optional<String> label(String label) {
      try {
        String ascii = label.chars().allMatch(c -> c <= 0x7f) ? label : toAscii(label);
        return ascii.length() > MAX_LABEL ? Optional.empty() : Optional.of(ascii);
      } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
        return Optional.empty();
      }
    }

    /// Throws IllegalArgumentException for a label with a character that names may not have, or one
    /// that RFC 3490 and browsers convert to different names.
    private static String toAscii(String label) {
      // RFC 3490 replaces these letters, browsers keep them: faß.de is not fass.de.
      String usual = label.replace('\u00df', 's').replace('\u03c2', '\u03c3');
      String ascii = IDN.toASCII(usual, IDN.ALLOW_UNASSIGNED);
      if (!IDN.toUnicode(ascii, IDN.ALLOW_UNASSIGNED).equals(usual)) {
        throw new IllegalArgumentException("two names");
      }
      return usual.equals(label) ? ascii : "xn--" + Punycode.encode(label);
    }

    /// The mapping of UTS 46: compatibility forms, lower case, dots, and no variation selectors, as
    /// in emoji.
    private static String mapped(String name) {
      StringBuilder out = new StringBuilder();
      Normalizer.normalize(name, Normalizer.Form.NFKC)
          .codePoints()
          .filter(c -> c < 0xfe00 || c > 0xfe0f)
          .map(c -> c == 0x3002 ? '.' : Character.toLowerCase(c))
          .forEach(out::appendCodePoint);
      return Normalizer.normalize(out, Normalizer.Form.NFKC);
    }
  }
}
