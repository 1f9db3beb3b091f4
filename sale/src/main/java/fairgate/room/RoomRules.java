package fairgate.room;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The requests that a room protects, by host, path and method.
///
/// Two servers can read one path differently. So a path is compared in every spelling that a server
/// behind the proxy could make of it, see [PathSpellings], and is protected when one of them is. A
/// path that cannot be read is protected.
///
/// @param hosts in lower case, without a port; `*.` at the front stands for one or more labels
/// @param methods in upper case; empty for all. HEAD counts as GET
public record RoomRules(
    List<String> hosts, List<PathRule> include, List<PathRule> exclude, Set<String> methods) {
  /// The longest path that is compared; longer ones are protected.
  private static final int LONGEST_PATH = 2_048;

  private static final Pattern HOST_HEADER =
      Pattern.compile("(\\[[0-9a-f:.]+]|[a-z0-9._-]+?)\\.?(:[0-9]{0,5})?");

  public RoomRules {
    hosts = List.copyOf(hosts);
    include = List.copyOf(include);
    exclude = List.copyOf(exclude);
    methods = Set.copyOf(methods);
  }

  /// Whether the room protects this request.
  ///
  /// @param host as in the `Host` header, with or without a port
  /// @param target path and query as sent
  public boolean protects(String method, String host, String target) {
    return isHost(host) && isMethod(method) && isPath(target);
  }

  public boolean isHost(String host) {
    String name = hostName(host);
    return hosts.stream()
        .anyMatch(
            rule -> rule.startsWith("*.") ? name.endsWith(rule.substring(1)) : rule.equals(name));
  }

  private boolean isMethod(String method) {
    String name = method.toUpperCase(Locale.ROOT);
    return methods.isEmpty() || methods.contains(name.equals("HEAD") ? "GET" : name);
  }

  private boolean isPath(String target) {
    int end = target.length();
    for (char mark : new char[] {'?', '#'}) {
      int at = target.indexOf(mark);
      end = at < 0 ? end : Math.min(end, at);
    }
    Set<String> spellings =
        end > LONGEST_PATH ? Set.of() : PathSpellings.of(target.substring(0, end));
    return spellings.isEmpty() || spellings.stream().anyMatch(this::isProtected);
  }

  private boolean isProtected(String path) {
    return include.stream().anyMatch(rule -> rule.matches(path))
        && exclude.stream().noneMatch(rule -> rule.matches(path));
  }

  /// Whether the URL has the usual port of its scheme, or the port of the other URL.
  static boolean hasKnownPort(String url, String other) {
    int port = URI.create(url).getPort();
    return port < 0
        || port == (url.regionMatches(true, 0, "https:", 0, 6) ? 443 : 80)
        || (!other.isEmpty() && port == URI.create(other).getPort());
  }

  /// Whether the URL is absolute, http or https, of one of the hosts, without user information.
  boolean isOwn(String url) {
    try {
      URI uri = new URI(url);
      String scheme = uri.getScheme();
      return scheme != null
          && (scheme.equalsIgnoreCase("https") || scheme.equalsIgnoreCase("http"))
          && uri.getRawUserInfo() == null
          && uri.getHost() != null
          && isHost(uri.getHost());
    } catch (URISyntaxException notUrl) {
      return false;
    }
  }

  /// The name in a `Host` header, without its port; empty when the header is malformed.
  private static String hostName(@Nullable String host) {
    Matcher header = HOST_HEADER.matcher(host == null ? "" : host.strip().toLowerCase(Locale.ROOT));
    return header.matches() ? header.group(1) : "";
  }
}
