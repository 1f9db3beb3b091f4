package fairgate.redeem.code;

import org.jspecify.annotations.Nullable;

/// Which codes to list; nulls are "any".
///
/// @param before the id of the last one of the page before; `Long.MAX_VALUE` for the first page
/// @param most codes per page
public record CodeSearch(
    @Nullable String last4,
    @Nullable String orderId,
    @Nullable CodeState state,
    @Nullable String productId,
    long before,
    int most) {}
