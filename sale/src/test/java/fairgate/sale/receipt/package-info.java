/// Receipts on a real PostgreSQL.
@NullMarked
package fairgate.sale.receipt;

import org.jspecify.annotations.NullMarked;
