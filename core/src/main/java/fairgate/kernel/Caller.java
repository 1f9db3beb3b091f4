package fairgate.kernel;

import org.jspecify.annotations.Nullable;

/// The client of a request, as far as known. Personal data: records store keyed hashes.
///
/// @param userAgent the `User-Agent` of the client; may be empty
/// @param account the signed-in account; null for none
public record Caller(
    ClientAddress address,
    String userAgent,
    @Nullable DeviceId device,
    @Nullable SessionId session,
    @Nullable String account) {
  /// The server itself.
  public static final Caller NONE = new Caller(ClientAddress.NONE, "", null, null, null);

  public Caller in(SessionId other) {
    return new Caller(address, userAgent, device, other, account);
  }
}
