package fairgate.sale.payment;

import org.jspecify.annotations.Nullable;

/// How a buyer gets to pay.
///
/// @param paymentUrl where to send the buyer; null when the page at hand does it by the API
public record PaymentStart(@Nullable String paymentUrl) {}
