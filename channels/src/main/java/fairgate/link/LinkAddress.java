package fairgate.link;

import fairgate.link.code.TargetUrl;
import fairgate.platform.http.Request;
import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The address short links begin with: the configured one, else the address the server listens on.
/// Never the `Host` header, which a caller could forge.
final class LinkAddress {
  /// The names of the machine itself, which a server that listens on one of them has all of.
  private static final Set<String> LOCAL =
      Set.of("localhost", "127.0.0.1", "[::1]", "0.0.0.0", "[::]");

  private final String configured;
  private final Set<String> names;

  /// @param configured empty = the address the server listens on
  /// @param others further addresses of this server; empty ones are ignored
  LinkAddress(String configured, Collection<String> others) {
    this.configured = configured;
    this.names =
        Stream.concat(Stream.of(configured), others.stream())
            .filter(url -> !url.isEmpty())
            .map(LinkAddress::host)
            .collect(Collectors.toUnmodifiableSet());
  }

  /// The prefix of short addresses, without a slash at the end.
  String base(Request request) {
    return configured.isEmpty() ? request.serverUrl() : configured;
  }

  /// The hosts of this server, as links to them could loop: those of the configured addresses, and
  /// the one that it listens on.
  Set<String> own(Request request) {
    return own(request.serverUrl());
  }

  Set<String> own(String serverUrl) {
    String here = host(serverUrl);
    return Stream.of(names, Set.of(here), LOCAL.contains(here) ? LOCAL : Set.<String>of())
        .flatMap(Set::stream)
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
