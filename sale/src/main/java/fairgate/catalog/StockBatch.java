package fairgate.catalog;

import fairgate.kernel.ProductId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// Units that become available together.
///
/// @param seq the batch's number in the plan
/// @param dueAt null = at the opening
/// @param release the batch's number in the order of release, from 1 without gaps: what
///   `stock_batch` takes; null while it is not released
public record StockBatch(
    ProductId product, int seq, int quantity, @Nullable Instant dueAt, @Nullable Integer release) {}
