package fairgate.platform.http.forward;

import fairgate.kernel.AddressBlock;
import java.util.List;

/// The trusted proxies in front of this server.
///
/// @param trusted the addresses of the trusted proxies
/// @param header the one header that they write. Other headers are passed on as the client sent
///   them, so they are never read.
/// @param proxyProtocol whether every connection begins with a PROXY header, version 1 or 2;
///   connections of untrusted peers are closed
public record Proxies(List<AddressBlock> trusted, Header header, boolean proxyProtocol) {
  /// The header with the addresses of the chain.
  public enum Header {
    X_FORWARDED_FOR,
    /// RFC 7239.
    FORWARDED
  }

  public Proxies {
    trusted = List.copyOf(trusted);
  }

  /// No proxies.
  public static Proxies none() {
    return new Proxies(List.of(), Header.X_FORWARDED_FOR, false);
  }
}
