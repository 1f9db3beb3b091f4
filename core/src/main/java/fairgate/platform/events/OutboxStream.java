package fairgate.platform.events;

import fairgate.kernel.ProductId;

/// The outbox of one sale.
///
/// @param key the name of its Redis stream
public record OutboxStream(ProductId product, String key) {}
