package fairgate.gate.risk;

import fairgate.kernel.Caller;
import fairgate.platform.http.Request;
import org.jspecify.annotations.Nullable;

/// A request to be judged.
///
/// @param sale the product of the sale, or of the redemption code
/// @param http the HTTP request; null when it came through another channel
/// @param caller address, device, session and account as far as known
/// @param user the user as whom the sale counts the caller, such as `account:...`; null for a guest
/// @param subject the keyed hash of the account, else of the device, else of the address; see
///   [Subjects]
/// @param device the keyed hash of the device within the sale, as orders have it; null without one
/// @param invited whether the buyer belongs to a tier of the sale
/// @param quantity units asked for; 0 at a join
public record RiskRequest(
    RiskRoute route,
    String sale,
    @Nullable Request http,
    Caller caller,
    @Nullable String user,
    String subject,
    @Nullable String device,
    boolean invited,
    int quantity) {}
