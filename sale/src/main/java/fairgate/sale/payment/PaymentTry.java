package fairgate.sale.payment;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A try to pay, as operators see it.
///
/// @param reference the name of the try at the provider; null until it is known
/// @param payment the provider's id of the payment; null unless it was paid
/// @param result the provider's last word: `paid`, `declined: REASON`, `ended: REASON`; null for
///   none
public record PaymentTry(
    int number,
    String provider,
    @Nullable String reference,
    @Nullable String payment,
    @Nullable String result,
    Instant createdAt,
    Instant updatedAt) {}
