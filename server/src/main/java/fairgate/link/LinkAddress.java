package fairgate.link;

import fairgate.link.code.TargetUrl;
import fairgate.platform.http.Request;
import java.util.Set;
import java.util.regex.Pattern;

/// Under which address the server is reached: the configured one, else the host the caller asked.
final class LinkAddress {
  private static final Pattern HOST =
      Pattern.compile("[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?|\\[[0-9A-Fa-f:.]{2,45}](:[0-9]{1,5})?");

  private final String configured;

  LinkAddress(String configured) {
    this.configured = configured;
  }

  /// What short addresses begin with, without a slash at the end.
  String base(Request request) {
    if (!configured.isEmpty()) {
      return configured;
    }
    String host = request.header("host");
    return host == null || !HOST.matcher(host).matches() ? "http://localhost" : "http://" + host;
  }

  /// Hosts that are this server: links to them would lead in circles.
  Set<String> own(Request request) {
    String asked =
        TargetUrl.hostOf("http://" + String.valueOf(request.header("host")))
            .toLowerCase(java.util.Locale.ROOT);
    return configured.isEmpty()
        ? Set.of(asked)
        : Set.copyOf(
            java.util.List.of(
                    asked, TargetUrl.hostOf(configured).toLowerCase(java.util.Locale.ROOT))
                .stream()
                .distinct()
                .toList());
  }
}
