package fairgate.platform.http.forward;

import fairgate.kernel.AddressBlock;
import java.util.List;

/// The proxies in front of this server, whose word on the caller's address is taken.
///
/// @param trusted whose they are; nobody else is believed anything
/// @param header the one header they write. A header they do not write they pass on as the caller
///   sent it, so no other is ever read.
/// @param proxyProtocol whether every connection begins with a PROXY header, version 1 or 2;
///   connections of others than the trusted are closed
public record Proxies(List<AddressBlock> trusted, Header header, boolean proxyProtocol) {
  /// Where the addresses of those on the way stand.
  public enum Header {
    X_FORWARDED_FOR,
    /// RFC 7239.
    FORWARDED
  }

  public Proxies {
    trusted = List.copyOf(trusted);
  }

  /// Nobody is in front.
  public static Proxies none() {
    return new Proxies(List.of(), Header.X_FORWARDED_FOR, false);
  }
}
