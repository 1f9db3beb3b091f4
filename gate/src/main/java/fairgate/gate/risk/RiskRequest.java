package fairgate.gate.risk;

import fairgate.kernel.Caller;
import fairgate.platform.http.Request;
import org.jspecify.annotations.Nullable;

/// A request to be judged.
///
/// @param sale the product of the sale, or of the redemption code
/// @param http the HTTP request; null when it came through another channel
/// @param caller address, device, session and account as far as known
/// @param invited whether the buyer belongs to a tier of the sale
/// @param quantity units asked for; 0 at a join
public record RiskRequest(
    RiskRoute route,
    String sale,
    @Nullable Request http,
    Caller caller,
    boolean invited,
    int quantity) {}
