package fairgate.link;

import fairgate.link.code.TargetUrl;
import fairgate.platform.http.Request;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The address short links begin with: the configured one, else the address the server listens on.
/// Never the `Host` header, which a caller could forge.
final class LinkAddress {
  private final String configured;

  LinkAddress(String configured) {
    this.configured = configured;
  }

  /// The prefix of short addresses, without a slash at the end.
  String base(Request request) {
    return configured.isEmpty() ? request.serverUrl() : configured;
  }

  /// The hosts of this server, as links to them would loop: that of the configured address, and the
  /// one of the request.
  Set<String> own(Request request) {
    return Stream.of(base(request), request.serverUrl())
        .map(LinkAddress::host)
        .collect(Collectors.toUnmodifiableSet());
  }

  /// In the form in which links name their hosts.
  private static String host(String url) {
    try {
      return TargetUrl.parse(url).host();
    } catch (TargetUrl.Refused _) {
      return TargetUrl.hostOf(url).toLowerCase(Locale.ROOT);
    }
  }
}
