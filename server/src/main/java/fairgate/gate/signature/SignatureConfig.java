package fairgate.gate.signature;

import fairgate.platform.http.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Which calls have to be signed. Any call below `/api/` may be.
///
/// @param requiredFor routes by their patterns: `/api/purchase`, `POST /api/orders/{order_id}/pay`,
///   or all below a path: `/api/admin/*`
/// @param skew how far a caller's clock may be off
public record SignatureConfig(List<String> requiredFor, Duration skew) {
  private static final Pattern ROUTE = Pattern.compile("((GET|POST|PUT|DELETE) )?/api/[^ *]*\\*?");

  public SignatureConfig {
    requiredFor = List.copyOf(requiredFor);
  }

  /// Nothing has to be signed; clocks may be off by a minute.
  public static SignatureConfig defaults() {
    return requiring(List.of());
  }

  /// The defaults, but these routes have to be signed.
  public static SignatureConfig requiring(List<String> routes) {
    return new SignatureConfig(routes, Duration.ofSeconds(60));
  }

  /// What is wrong with these settings; empty when nothing is.
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    for (String route : requiredFor) {
      if (!ROUTE.matcher(route).matches()) {
        problems.add(
            "signatures.required_for: expected routes such as POST /api/purchase or /api/admin/*,"
                + " not "
                + route);
      }
    }
    return problems;
  }

  /// Whether calls of this route have to be signed.
  ///
  /// @param path the route's pattern
  boolean requires(Method method, String path) {
    return requiredFor.stream().anyMatch(route -> covers(route, method, path));
  }

  private static boolean covers(String route, Method method, String path) {
    int space = route.indexOf(' ');
    if (space >= 0 && !route.substring(0, space).equals(method.name())) {
      return false;
    }
    String pattern = route.substring(space + 1);
    return pattern.endsWith("*")
        ? path.startsWith(pattern.substring(0, pattern.length() - 1))
        : path.equals(pattern);
  }
}
