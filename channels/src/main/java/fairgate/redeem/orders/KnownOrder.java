package fairgate.redeem.orders;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// An order as its source has it.
///
/// @param expiresAt until when it can be redeemed; null = for ever
public record KnownOrder(
    String platform,
    String orderId,
    String productId,
    OrderState state,
    @Nullable Instant expiresAt) {}
