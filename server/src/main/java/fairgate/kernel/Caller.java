package fairgate.kernel;

import org.jspecify.annotations.Nullable;

/// Who a request came from, as far as it is known. Personal data: the records keep keyed hashes.
///
/// @param userAgent what the client says it is; empty when it says nothing
/// @param account the signed-in account, if any
public record Caller(
    ClientAddress address,
    String userAgent,
    @Nullable DeviceId device,
    @Nullable SessionId session,
    @Nullable String account) {
  /// Nobody outside: the server itself.
  public static final Caller NONE = new Caller(ClientAddress.NONE, "", null, null, null);

  /// The same caller in this session.
  public Caller in(SessionId other) {
    return new Caller(address, userAgent, device, other, account);
  }
}
