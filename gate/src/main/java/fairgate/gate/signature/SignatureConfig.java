package fairgate.gate.signature;

import fairgate.platform.http.Action;
import fairgate.platform.http.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// The routes that require a signature. Any call below `/api/` may have one.
///
/// @param requiredFor route patterns: `/api/purchase`, `POST /api/orders/{order_id}/pay`, or all
///   below a path: `/api/admin/*`
/// @param skew allowed difference of a caller's clock
public record SignatureConfig(List<String> requiredFor, Duration skew) {
  private static final Pattern ROUTE = Pattern.compile("((GET|POST|PUT|DELETE) )?/api/[^ *]*\\*?");

  public SignatureConfig {
    requiredFor = List.copyOf(requiredFor);
  }

  /// The defaults: no route requires a signature; clocks may differ by a minute.
  public static SignatureConfig defaults() {
    return requiring(List.of());
  }

  public static SignatureConfig requiring(List<String> routes) {
    return new SignatureConfig(routes, Duration.ofSeconds(60));
  }

  /// The errors in these settings; empty when there are none.
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

  /// Whether the action requires a signature, through any of its routes.
  boolean requires(Action action) {
    return requiredFor.stream().anyMatch(route -> covers(route, action.method(), action.path()));
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
